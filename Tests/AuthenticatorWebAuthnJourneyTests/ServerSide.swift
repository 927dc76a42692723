import AuthenticatorCoding
import AuthenticatorRelyingParty
import Testing

/// Takes outcomes apart as the server does, and verifies them by the relying party's own means.
struct ServerSide {
  var origin = WebAuthnKit.origin
  var challenge = ServerData.challengeBytes
  var requiresUserVerification = true

  /// The parts, joined by `::`.
  static func parts(_ outcome: String) -> [String] {
    var parts: [String] = [""]
    var rest = Substring(outcome)
    while let place = rest.firstRange(of: "::") {
      parts[parts.count - 1] += rest[..<place.lowerBound]
      parts.append("")
      rest = rest[place.upperBound...]
    }
    parts[parts.count - 1] += rest
    return parts
  }

  /// What stands in the JSON form; the text itself when it is no JSON.
  static func unwrapped(_ outcome: String) -> (text: String, attachment: JSONValue?) {
    guard let json = try? JSONValue.parse(outcome), let text = json["legacyData"]?.stringValue else {
      return (outcome, nil)
    }
    return (text, json["authenticatorAttachment"])
  }

  /// Signed bytes, strictly.
  static func bytes(_ text: String) throws -> [UInt8] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { item in
      let number = try #require(Int8(item))
      #expect(String(number) == item)
      return UInt8(bitPattern: number)
    }
  }

  private var ceremony: CeremonyExpectation {
    CeremonyExpectation(
      challenge: challenge, origins: [origin], relyingPartyID: WebAuthnKit.party,
      requiresUserVerification: requiresUserVerification)
  }

  func register(_ outcome: String?) throws -> (credential: WebAuthnCredentialRecord, deviceName: String?) {
    let parts = Self.parts(Self.unwrapped(try #require(outcome)).text)
    try #require(parts.count == 3 || parts.count == 4)
    let verdict = try RegistrationExpectation(ceremony: ceremony).verify(
      ReceivedRegistration(
        id: try Base64URL.decode(parts[2]), clientDataJSON: Array(parts[0].utf8),
        attestationObject: try Self.bytes(parts[1])),
      at: 1_700_000_000)
    return (verdict.credential, parts.count == 4 ? parts[3] : nil)
  }

  /// - Returns: the user's name, as the server decodes it from the handle; nil when there is none.
  func authenticate(_ outcome: String?, with credential: WebAuthnCredentialRecord) throws -> String? {
    let parts = Self.parts(Self.unwrapped(try #require(outcome)).text)
    try #require(parts.count == 4 || parts.count == 5)
    _ = try AuthenticationExpectation(ceremony: ceremony).verify(
      ReceivedAuthentication(
        id: try Base64URL.decode(parts[3]), clientDataJSON: Array(parts[0].utf8),
        authenticatorData: try Self.bytes(parts[1]), signature: try Self.bytes(parts[2])),
      with: credential)
    return try parts.dropFirst(4).first.map { String(decoding: try Base64URL.decode($0), as: UTF8.self) }
  }
}
