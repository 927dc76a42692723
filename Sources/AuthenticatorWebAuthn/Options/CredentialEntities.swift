internal import AuthenticatorCoding

/// The relying party as options name it (WebAuthn Level 3 section 5.4.2).
public struct PublicKeyCredentialRpEntity: Hashable, Sendable {
  /// The relying party ID; nil: the caller's effective domain.
  public var id: String?
  /// A name for people.
  public var name: String

  /// A relying party.
  public init(id: String? = nil, name: String) {
    self.id = id
    self.name = name
  }

  init(_ members: JSONMembers) throws(WebAuthnJSONError) {
    id = try members.optionalText("id")
    name = try members.text("name")
  }

  var json: JSONValue {
    var object: JSONObject = [:]
    if let id { object["id"] = .string(id) }
    object["name"] = .string(name)
    return .object(object)
  }
}

/// The account a credential is made for (WebAuthn Level 3 section 5.4.3).
public struct PublicKeyCredentialUserEntity: Hashable, Sendable {
  /// The user handle: 1 to 64 bytes.
  public let id: [UInt8]
  /// A name for people.
  public var name: String
  /// The name the person chose; may be empty.
  public var displayName: String

  /// Nil when the user handle has not 1 to 64 bytes.
  public init?(id: [UInt8], name: String, displayName: String) {
    guard (1...WebAuthnLimits.userHandleBytes).contains(id.count) else { return nil }
    self.id = id
    self.name = name
    self.displayName = displayName
  }

  init(_ members: JSONMembers) throws(WebAuthnJSONError) {
    let id = try members.bytes("id", toleratingPadding: true)
    let (name, displayName) = (try members.text("name"), try members.text("displayName"))
    guard let entity = PublicKeyCredentialUserEntity(id: id, name: name, displayName: displayName) else {
      throw members.error(.outOfRange, "id")
    }
    self = entity
  }

  var json: JSONValue {
    ["id": .string(Base64URL.encode(id)), "name": .string(name), "displayName": .string(displayName)]
  }
}

/// A kind of credential and an algorithm the relying party accepts (WebAuthn Level 3 section 5.3).
public struct PublicKeyCredentialParameters: Hashable, Sendable {
  /// The kind of credential.
  public var type: PublicKeyCredentialType
  /// The signature algorithm.
  public var algorithm: COSEAlgorithmIdentifier

  /// A pair of kind and algorithm.
  public init(type: PublicKeyCredentialType = .publicKey, algorithm: COSEAlgorithmIdentifier) {
    self.type = type
    self.algorithm = algorithm
  }

  init(_ members: JSONMembers) throws(WebAuthnJSONError) {
    type = PublicKeyCredentialType(rawValue: try members.text("type"))
    guard members.object["alg"] != nil else { throw members.error(.missing, "alg") }
    guard let number = members.lenientInteger("alg") else { throw members.error(.wrongType, "alg") }
    algorithm = COSEAlgorithmIdentifier(rawValue: number)
  }

  var json: JSONValue { ["type": .string(type.rawValue), "alg": .integer(Int64(algorithm.rawValue))] }
}

/// A credential by its name (WebAuthn Level 3 section 5.8.3).
public struct PublicKeyCredentialDescriptor: Hashable, Sendable {
  /// The kind of credential.
  public var type: PublicKeyCredentialType
  /// The credential's name.
  public var id: CredentialID
  /// As received, unknown ones included.
  public var transports: [AuthenticatorTransport]

  /// See the properties.
  public init(
    type: PublicKeyCredentialType = .publicKey, id: CredentialID, transports: [AuthenticatorTransport] = []
  ) {
    self.type = type
    self.id = id
    self.transports = transports
  }

  init(_ members: JSONMembers) throws(WebAuthnJSONError) {
    type = PublicKeyCredentialType(rawValue: try members.text("type"))
    id = try members.credentialID("id", toleratingPadding: true)
    transports = try members.texts("transports").map(AuthenticatorTransport.init(rawValue:))
  }

  var json: JSONValue {
    var object: JSONObject = ["type": .string(type.rawValue), "id": .string(id.base64URLEncodedString())]
    if !transports.isEmpty { object["transports"] = .array(transports.map { .string($0.rawValue) }) }
    return .object(object)
  }
}

/// What an authenticator must be able to do (WebAuthn Level 3 section 5.4.4). Words are kept as received; the
/// properties named `effective…` apply the standard's defaults.
public struct AuthenticatorSelectionCriteria: Hashable, Sendable {
  /// Where the authenticator has to be; nil: anywhere.
  public var authenticatorAttachment: AuthenticatorAttachment?
  /// Whether the credential has to be discoverable, as received.
  public var residentKey: ResidentKeyRequirement?
  /// What `residentKey` was called in Level 1; counts only in its absence.
  public var requireResidentKey: Bool
  /// Whether the person has to be verified, as received.
  public var userVerification: UserVerificationRequirement?

  /// See the properties.
  public init(
    authenticatorAttachment: AuthenticatorAttachment? = nil, residentKey: ResidentKeyRequirement? = nil,
    requireResidentKey: Bool = false, userVerification: UserVerificationRequirement? = nil
  ) {
    self.authenticatorAttachment = authenticatorAttachment
    self.residentKey = residentKey
    self.requireResidentKey = requireResidentKey
    self.userVerification = userVerification
  }

  /// `residentKey`, or what `requireResidentKey` says in its absence.
  public var effectiveResidentKey: ResidentKeyRequirement {
    residentKey?.ifKnown ?? (requireResidentKey ? .required : .discouraged)
  }

  /// `userVerification`, or `preferred`.
  public var effectiveUserVerification: UserVerificationRequirement { userVerification?.ifKnown ?? .preferred }

  init(_ members: JSONMembers) throws(WebAuthnJSONError) {
    authenticatorAttachment = try members.optionalText("authenticatorAttachment").map(
      AuthenticatorAttachment.init(rawValue:))
    residentKey = try members.optionalText("residentKey").map(ResidentKeyRequirement.init(rawValue:))
    requireResidentKey = try members.optionalBool("requireResidentKey") ?? false
    userVerification = try members.optionalText("userVerification").map(UserVerificationRequirement.init(rawValue:))
  }

  var json: JSONValue {
    var object: JSONObject = [:]
    if let authenticatorAttachment { object["authenticatorAttachment"] = .string(authenticatorAttachment.rawValue) }
    if let residentKey { object["residentKey"] = .string(residentKey.rawValue) }
    if requireResidentKey { object["requireResidentKey"] = true }
    if let userVerification { object["userVerification"] = .string(userVerification.rawValue) }
    return .object(object)
  }
}
