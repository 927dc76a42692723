import AuthenticatorCoding
import AuthenticatorCore

/// What could not be finished and has no key record of its own to stand in: kept in the store until it is done.
struct PendingWork: Sendable {
  enum Entry: Hashable, Sendable {
    /// A credential to be revoked on the server, by a session of its user.
    case revocation(id: String, userID: String)
    /// A key to be destroyed here.
    case removal(tag: KeyTag)
  }

  private let store: any KeyStore
  private let name: ItemName

  /// A list that is longer takes nothing more: what stands in it is forgotten by nobody else.
  private static let maximumBytes = 60_000

  init(_ store: any KeyStore, scope: CredentialScope) {
    self.store = store
    name = scope.item("pending")
  }

  /// - Throws: `storageFailed`; `integrityFailed` when the list cannot be read.
  func entries() async throws -> [Entry] {
    guard let bytes = try await store.item(name) else { return [] }
    return try Self.decode(bytes)
  }

  /// - Throws: `storageFailed`, also when the list is full: the entry is not kept then, and every other is; as
  ///   `entries()`.
  func add(_ entry: Entry) async throws {
    try await change { entries in
      if !entries.contains(entry) { entries.append(entry) }
    }
  }

  func remove(_ entry: Entry) async throws {
    try await change { $0.removeAll { $0 == entry } }
  }

  /// Other processes may change the list at the same time; nothing of theirs is lost.
  private func change(_ body: (inout [Entry]) -> Void) async throws {
    try await store.changeItem(name) { bytes in
      let before = try bytes.map(Self.decode) ?? []
      var entries = before
      body(&entries)
      guard entries != before else { return bytes }
      let encoded = Self.encode(entries)
      guard entries.count < before.count || encoded.count <= Self.maximumBytes else {
        throw AuthenticatorError(.storageFailed, stage: "trustedDevice.pending", reason: "the list is full")
      }
      return entries.isEmpty ? nil : encoded
    }
  }

  private static func encode(_ entries: [Entry]) -> [UInt8] {
    let values = entries.map { entry -> JSONValue in
      switch entry {
      case .revocation(let id, let userID): ["revoke": .string(id), "user": .string(userID)]
      case .removal(let tag): ["remove": .string(tag.rawValue)]
      }
    }
    return JSONValue.array(values).serialized()
  }

  private static func decode(_ bytes: [UInt8]) throws -> [Entry] {
    let values: [JSONValue]?
    do { values = try JSONValue.parse(bytes, limits: JSONLimits(bytes: 1 << 16, depth: 4)).arrayValue } catch {
      values = nil
    }
    guard let values else {
      throw AuthenticatorError(.integrityFailed, stage: "trustedDevice.pending", reason: "the list cannot be read")
    }
    return values.compactMap { value in
      if let tag = value["remove"]?.stringValue { return .removal(tag: KeyTag(rawValue: tag)) }
      guard let id = value["revoke"]?.stringValue, let userID = value["user"]?.stringValue else { return nil }
      return .revocation(id: id, userID: userID)
    }
  }
}
