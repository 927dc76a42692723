public import AuthenticatorCoding

/// What a registered key is called: the model and the KeyID together.
public struct UAFKeyName: Hashable, Sendable {
  /// In upper case.
  public let aaid: String
  /// 32 to 2,048 bytes.
  public let keyID: [UInt8]

  /// Names a key.
  public init(aaid: String, keyID: [UInt8]) {
    self.aaid = UAFModelStatement.normalizedAAID(aaid) ?? aaid
    self.keyID = keyID
  }

  /// Reads `{"aaid", "keyID"}`, the KeyID in base64url; nil for anything else.
  public init?(json: JSONValue) {
    guard let aaid = json["aaid"]?.stringValue.flatMap({ UAFModelStatement.normalizedAAID($0) }),
      let text = json["keyID"]?.stringValue, text.utf8.count <= 2732, let keyID = try? Base64URL.decode(text),
      (32...2048).contains(keyID.count)
    else { return nil }
    self.init(aaid: aaid, keyID: keyID)
  }
}

extension UAFReceivedResponse {
  /// The keys that the assertions of an authentication name, whether or not they verify; for looking them up.
  public var keyNames: [UAFKeyName] {
    assertions.compactMap { assertion in
      guard let facts = (try? UAFAuthenticationAssertion(assertion.bytes))?.facts else { return nil }
      return UAFKeyName(aaid: facts.aaid, keyID: facts.keyID)
    }
  }
}
