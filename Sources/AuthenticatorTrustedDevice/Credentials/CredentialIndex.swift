import AuthenticatorCoding
import AuthenticatorCore

/// What lets a few credentials be found among many: whether the latest records are the newest credentials, and which
/// users enrolled with which hint. It only says where to look; what is found there is compared in full.
///
/// Where more credentials stand than the window shows, and only there, it is relied on. A scope without index, because
/// an earlier version filled it or because it cannot be read, is searched as a whole.
struct CredentialIndex: Sendable {
  /// As many of the latest records are looked at before the index counts; a store remembers results up to this length.
  static let window = 16

  private let store: any KeyStore
  private let scope: CredentialScope

  init(_ store: any KeyStore, scope: CredentialScope) {
    self.store = store
    self.scope = scope
  }

  // MARK: Reading

  /// Whether the newest credential is among the latest records.
  func isOrdered() async throws -> Bool { try await mark() == .ordered }

  /// The users that enrolled with a hint, and perhaps some that did not; nil: it cannot be told.
  func users(withHint hint: String) async throws -> [String]? {
    guard try await mark() != nil else { return nil }
    return try await list(of: hint)
  }

  // MARK: Writing

  /// Notes what is needed to find a credential, before it is one: an entry too many does no harm.
  func prepare(_ record: KeyRecord, id: String, _ details: CredentialDetails) async throws {
    try await note(record)
    let latest = try await store.records(matching: scope.query(limit: Self.window))
    let isAll = latest.count < Self.window
    if let mark = try await mark() {
      guard mark == .ordered, !isAll, !Self.follows(record, id, details, latest) else { return }
      return try await set(.unordered)
    }
    // What stood here before there was an index is taken in as long as it can be seen as a whole.
    guard isAll else { return }
    for other in latest { try await note(other) }
    let (store, name) = (store, scope.item("index"))
    // Not over what another process has found out meanwhile.
    try await Turnstile.shielded {
      _ = try await store.exchangeItem(name, expecting: nil, with: [Mark.ordered.rawValue])
    }
  }

  /// Looks whether another process has overwritten the entry meanwhile.
  func finish(_ record: KeyRecord) async throws { try await note(record) }

  /// A record that comes back from retirement stands in its old place.
  func noteReturn() async throws {
    guard try await mark() == .ordered else { return }
    try await set(.unordered)
  }

  /// Forgets a user whose credentials are gone.
  func remove(_ userID: String, hint: String?) async throws {
    guard let hint = IdentifierHint.normalized(hint) else { return }
    try await store.changeItem(item(of: hint)) { bytes in
      guard let bytes, var users = Self.decode(bytes), users.contains(userID) else { return bytes }
      users.removeAll { $0 == userID }
      return users.isEmpty ? nil : Self.encode(users)
    }
  }

  // MARK: Order

  private enum Mark: UInt8 {
    case ordered = 1
    /// Hints count, the order does not.
    case unordered = 2
  }

  private func mark() async throws -> Mark? {
    guard let bytes = try await store.item(scope.item("index")), bytes.count == 1 else { return nil }
    return Mark(rawValue: bytes[0])
  }

  private func set(_ mark: Mark) async throws {
    let (store, name) = (store, scope.item("index"))
    try await Turnstile.shielded { try await store.setItem(name, to: [mark.rawValue]) }
  }

  /// Whether a credential is the newest, and its record the latest: the server's clock and this device's may be set
  /// back.
  private static func follows(
    _ record: KeyRecord, _ id: String, _ details: CredentialDetails, _ latest: [KeyRecord]
  ) -> Bool {
    latest.allSatisfy { other in
      // One that cannot be read is never chosen.
      guard other.tag != record.tag, let other = try? LocalCredential(other) else { return true }
      return (other.details.createdAt, other.details.updatedAt, other.id)
        < (details.createdAt, details.updatedAt, id) && other.record.createdAt <= record.createdAt
    }
  }

  // MARK: Hints

  private func item(of hint: String) -> ItemName { scope.item("hint", of: hint) }

  /// Nil: they are too many to be listed, or the list cannot be read.
  private func list(of hint: String) async throws -> [String]? {
    guard let bytes = try await store.item(item(of: hint)) else { return [] }
    return Self.decode(bytes)
  }

  private static func decode(_ bytes: [UInt8]) -> [String]? {
    let json = try? JSONValue.parse(bytes, limits: JSONLimits(bytes: 1 << 16, depth: 2))
    guard let values = json?.arrayValue else { return nil }
    let users = values.compactMap(\.stringValue)
    return users.count == values.count ? users : nil
  }

  private func note(_ record: KeyRecord) async throws {
    // A record that cannot be read is never found by its hint, nor chosen.
    guard let account = record.owner.account, let userID = String(validating: account, as: UTF8.self),
      let attributes = try? CredentialAttributes(record.attributes), let hint = attributes.hint
    else { return }
    let (store, name) = (store, item(of: hint))
    try await Turnstile.shielded {
      try await store.changeItem(name) { bytes in
        guard let users = bytes.map(Self.decode) ?? [], !users.contains(userID) else { return bytes }
        let longer = Self.encode(users + [userID])
        // Too many for a list: whoever asks searches everything then.
        return longer.count > Self.maximumBytes ? Array("null".utf8) : longer
      }
    }
  }

  private static let maximumBytes = 32_768

  private static func encode(_ users: [String]) -> [UInt8] {
    JSONValue.array(users.map(JSONValue.string)).serialized()
  }
}
