import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// What one operation leaves for later ones to know.
extension AuthenticatorModule {
  // MARK: Keys that are gone for good

  private func goneItem(_ aaid: AAID, token: [UInt8]) -> ItemName {
    let name = SHA256.hash(token + Array(aaid.rawValue.uppercased().utf8))
    return ItemName(owner: nil, name: "uaf.gone." + Base64URL.encode(name))
  }

  /// The keys of a model that a changed enrolled set has ended.
  func goneKeys(_ aaid: AAID, _ tokens: AccessTokens) async throws -> Set<UAFKeyID> {
    var gone: Set<UAFKeyID> = []
    for entry in tokens.byID {
      guard let bytes = try await context.keyStore.item(goneItem(aaid, token: entry.token)) else { continue }
      gone.formUnion(Self.keyIDs(bytes))
    }
    return gone
  }

  private static func keyIDs(_ bytes: [UInt8]) -> [UAFKeyID] {
    stride(from: 0, to: bytes.count - bytes.count % 32, by: 32).compactMap { start in
      UAFKeyID(bytes: Array(bytes[start..<start + 32]))
    }
  }

  /// Deletes a key that can never be used again and remembers that it was there.
  func bury(_ key: RegisteredKey) async throws {
    let name = goneItem(key.handle.aaid, token: key.handle.accessToken)
    let keyID = key.handle.keyID
    try await context.keyStore.changeItem(name) { bytes in
      guard keyID.bytes.count == 32, !Self.keyIDs(bytes ?? []).contains(keyID) else { return bytes }
      return Array(((bytes ?? []) + keyID.bytes).suffix(32 * 64))
    }
    try await context.keyStore.delete(key.record.tag)
  }

  func forgetGoneKeys(_ aaid: AAID, _ tokens: AccessTokens, only keyID: UAFKeyID? = nil) async throws {
    for entry in tokens.byID {
      try await context.keyStore.changeItem(goneItem(aaid, token: entry.token)) { bytes in
        guard let bytes, let keyID else { return nil }
        let kept = Self.keyIDs(bytes).filter { $0 != keyID }
        return kept.isEmpty ? nil : kept.flatMap(\.bytes)
      }
    }
  }

  // MARK: Failures that the next sign-in must know of

  static func failureItem(_ token: [UInt8]) -> ItemName {
    ItemName(owner: nil, name: "uaf.failure." + Base64URL.encode(SHA256.hash(token + Array("failure".utf8))))
  }

  /// The model with which the last sign-in of this application and caller ended without recognizing the person.
  func failedModel(_ tokens: AccessTokens) async throws -> AAID? {
    guard let name = tokens.failureItem, let bytes = try await context.keyStore.item(name) else { return nil }
    return AAID(String(decoding: bytes, as: UTF8.self))
  }

  /// Forgets that the last sign-in failed when its model has no key any more, in whatever way the keys went: whoever
  /// registers now has not failed.
  func forgetFailureWithoutKeys(_ tokens: AccessTokens) async throws {
    guard let failed = try await failedModel(tokens) else { return }
    if try await !keys(tokens).contains(where: { $0.handle.aaid == failed }) { try await note(failureOf: nil, tokens) }
  }

  /// Notes with which model a sign-in failed; nil: none did, or an alternative to it was offered.
  func note(failureOf aaid: AAID?, _ tokens: AccessTokens) async throws {
    guard let name = tokens.failureItem else { return }
    let bytes = aaid.map { Array($0.rawValue.utf8) }
    guard try await context.keyStore.item(name) != bytes else { return }
    try await context.keyStore.setItem(name, to: bytes)
  }
}
