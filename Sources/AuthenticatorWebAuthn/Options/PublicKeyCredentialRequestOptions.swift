public import AuthenticatorCoding

/// What a relying party asks for when somebody is to sign in (WebAuthn Level 3 section 5.5).
///
/// Reading and writing follow the rules of `PublicKeyCredentialCreationOptions`.
public struct PublicKeyCredentialRequestOptions: Hashable, Sendable {
  /// At least 16 unpredictable bytes.
  public var challenge: [UInt8]
  /// In milliseconds, as asked for.
  public var timeout: Int?
  /// Nil: the caller's effective domain.
  public var relyingPartyID: String?
  /// As received, entries of unknown type included: a list that has only such entries is not an empty list.
  public var allowCredentials: [PublicKeyCredentialDescriptor]
  /// Whether the person has to be verified, as received.
  public var userVerification: UserVerificationRequirement?
  /// Where the person is likely to have the authenticator, in order of likelihood.
  public var hints: [PublicKeyCredentialHint]
  /// Client extension inputs as they stand in JSON.
  public var extensions: JSONObject

  /// See the properties.
  public init(
    challenge: [UInt8], timeout: Int? = nil, relyingPartyID: String? = nil,
    allowCredentials: [PublicKeyCredentialDescriptor] = [], userVerification: UserVerificationRequirement? = nil,
    hints: [PublicKeyCredentialHint] = [], extensions: JSONObject = [:]
  ) {
    self.challenge = challenge
    self.timeout = timeout
    self.relyingPartyID = relyingPartyID
    self.allowCredentials = allowCredentials
    self.userVerification = userVerification
    self.hints = hints
    self.extensions = extensions
  }

  /// `userVerification`, or `preferred`.
  public var effectiveUserVerification: UserVerificationRequirement { userVerification?.ifKnown ?? .preferred }

  // MARK: - JSON

  /// Reads a `PublicKeyCredentialRequestOptionsJSON` (WebAuthn Level 3 section 5.1.9); also one that stands in a member
  /// `publicKey`, as servers often wrap it. Lists may have 1,024 entries.
  public init(json: JSONValue) throws(WebAuthnJSONError) {
    let members = try Self.unwrapped(json)
    challenge = try members.bytes("challenge", toleratingPadding: true)
    timeout = try Self.timeout(members)
    relyingPartyID = try members.optionalText("rpId")
    allowCredentials = []
    for entry in try members.optionalList("allowCredentials") ?? [] {
      allowCredentials.append(try PublicKeyCredentialDescriptor(entry))
    }
    userVerification = try members.optionalText("userVerification").map(UserVerificationRequirement.init(rawValue:))
    hints = try members.texts("hints").map(PublicKeyCredentialHint.init(rawValue:))
    extensions = try members.optionalObject("extensions") ?? [:]
  }

  /// The options as a `PublicKeyCredentialRequestOptionsJSON`; members with their default value are left out.
  public var json: JSONValue {
    var object: JSONObject = ["challenge": .string(Base64URL.encode(challenge))]
    if let timeout { object["timeout"] = .integer(Int64(timeout)) }
    if let relyingPartyID { object["rpId"] = .string(relyingPartyID) }
    if !allowCredentials.isEmpty { object["allowCredentials"] = .array(allowCredentials.map(\.json)) }
    if let userVerification { object["userVerification"] = .string(userVerification.rawValue) }
    if !hints.isEmpty { object["hints"] = .array(hints.map { .string($0.rawValue) }) }
    if !extensions.isEmpty { object["extensions"] = .object(extensions) }
    return .object(object)
  }

  /// The options' members, out of the wrapper when there is one.
  static func unwrapped(_ json: JSONValue) throws(WebAuthnJSONError) -> JSONMembers {
    let members = try JSONMembers(json)
    guard members.object["challenge"] == nil else { return members }
    return try members.optionalMembers("publicKey") ?? members
  }

  /// A time limit that is not negative and fits 32 bits; what cannot be read as a number is passed over.
  static func timeout(_ members: JSONMembers) throws(WebAuthnJSONError) -> Int? {
    guard !members.isAbsent("timeout") else { return nil }
    guard let timeout = members.lenientInteger("timeout") else { throw members.error(.wrongType, "timeout") }
    guard (0...Int(UInt32.max)).contains(timeout) else { throw members.error(.outOfRange, "timeout") }
    return timeout
  }
}
