/// A realm by its path: `/` is the root, `/alpha` a realm under it.
public struct Realm: Hashable, Sendable, CustomStringConvertible {
  /// The names from the root down; empty for the root.
  public let components: [String]

  /// The top of the hierarchy.
  public static let root = Realm(components: [])

  private init(components: [String]) { self.components = components }

  /// Reads `/`, `/alpha`, `alpha` or `/a/b`; a leading `root` is the root itself.
  ///
  /// Nil when a name is empty, longer than 64 bytes or holds anything but letters, digits, `-`, `_` and `.`, or when
  /// there are more than 8 levels.
  public init?(_ path: String) {
    var names = path.split(separator: "/").map(String.init)
    if names.first == "root" { names.removeFirst() }
    guard names.count <= 8, names.allSatisfy(Self.isName) else { return nil }
    components = names
  }

  private static func isName(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count), text != ".", text != ".." else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
      default: false
      }
    }
  }

  /// `/`, `/alpha`, `/a/b`.
  public var path: String { "/" + components.joined(separator: "/") }

  public var description: String { path }

  /// The full path AM uses in its URLs: `root/realms/alpha`.
  public var urlPath: String { (["root"] + components).joined(separator: "/realms/") }

  /// The universal identifier of a user, an LDAP-style name: `id=<id>,ou=user,o=alpha,ou=services,ou=am-config`.
  public func universalID(of userID: String) -> String {
    guard !components.isEmpty else { return "id=\(userID),ou=user,ou=am-config" }
    let organization = components.reversed().map { "o=\($0)" }.joined(separator: ",")
    return "id=\(userID),ou=user,\(organization),ou=services,ou=am-config"
  }

  /// The user id in a universal identifier of this realm; nil for any other text.
  func userID(inUniversalID text: String) -> String? {
    guard text.hasPrefix("id="), let comma = text.firstIndex(of: ",") else { return nil }
    let id = String(text[text.index(text.startIndex, offsetBy: 3)..<comma])
    return universalID(of: id) == text ? id : nil
  }
}
