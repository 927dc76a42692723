import AuthenticatorCoding

/// The people of `--users`: `[{"username", "password", "realm"?, "active"?}]`. Further members are for other programs
/// and not looked at.
struct UserList: Sendable {
  struct User: Sendable {
    var name: String
    var password: String
    /// Nil: in every realm.
    var realm: String?
    /// Nil: as it is; new people are active.
    var isActive: Bool?
  }

  let users: [User]

  /// - Throws: an unusable-input failure that names the entry at fault, and never what a member holds.
  init(_ path: String) throws {
    let json = try InputFile.json(path)
    guard let entries = json.arrayValue else { throw Self.malformed(path, "is not an array") }
    users = try entries.enumerated().map { index, entry in
      guard let name = entry["username"]?.stringValue, !name.isEmpty else {
        throw Self.malformed(path, "entry \(index) has no username")
      }
      guard let password = entry["password"]?.stringValue, !password.isEmpty else {
        throw Self.malformed(path, "entry \(index) has no password")
      }
      guard entry["realm"].map({ $0.stringValue != nil }) ?? true, entry["active"].map({ $0.boolValue != nil }) ?? true
      else { throw Self.malformed(path, "entry \(index): realm is a text, active is true or false") }
      return User(
        name: name, password: password, realm: entry["realm"]?.stringValue,
        isActive: entry["active"]?.boolValue)
    }
  }

  private static func malformed(_ path: String, _ what: String) -> Failure {
    .unusable("inputUnusable", "\(InputFile.name(path)): \(what)", stage: "users")
  }
}
