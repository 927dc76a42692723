public import AuthenticatorCoding
internal import AuthenticatorCrypto

/// A registered key as a relying party keeps it (UAF Protocol 1.1 section 3.4.6.5).
public struct UAFRegistrationRecord: Hashable, Sendable {
  /// The model, in upper case.
  public var aaid: String
  /// The key's name: 32 to 2,048 bytes.
  public var keyID: [UInt8]
  /// The key in the form it came in.
  public var publicKey: [UInt8]
  /// That form.
  public var keyForm: UAFKeyForm
  /// How the key signs.
  public var signatureForm: UAFSignatureForm
  /// The counter of the last signature; 0 when the authenticator has none.
  public var signCounter: UInt32
  /// The counter of registrations; 0 when the authenticator has none.
  public var registrationCounter: UInt32
  /// The version the authenticator told.
  public var authenticatorVersion: UInt16
  /// What the authenticator said about the set of enrolled fingers or faces; nil when it says nothing.
  public var userVerificationState: [UInt8]?
  /// 15879 basic full, 15880 basic surrogate.
  public var attestationType: UInt16

  /// Makes a record.
  public init(
    aaid: String, keyID: [UInt8], publicKey: [UInt8], keyForm: UAFKeyForm, signatureForm: UAFSignatureForm,
    signCounter: UInt32, registrationCounter: UInt32, authenticatorVersion: UInt16,
    userVerificationState: [UInt8]? = nil, attestationType: UInt16
  ) {
    self.aaid = aaid
    self.keyID = keyID
    self.publicKey = publicKey
    self.keyForm = keyForm
    self.signatureForm = signatureForm
    self.signCounter = signCounter
    self.registrationCounter = registrationCounter
    self.authenticatorVersion = authenticatorVersion
    self.userVerificationState = userVerificationState
    self.attestationType = attestationType
  }

  /// The key's name as messages have it.
  public var keyIDText: String { Base64URL.encode(keyID) }

  /// `{"aaid", "keyID", "publicKey", "publicKeyAlgAndEncoding", "authenticationAlgorithm", "signCounter", "regCounter",
  /// "authenticatorVersion", "attestationType", "userVerificationState"}`, bytes as base64url.
  public var json: JSONValue {
    [
      "aaid": .string(aaid), "keyID": .string(keyIDText), "publicKey": .string(Base64URL.encode(publicKey)),
      "publicKeyAlgAndEncoding": .integer(Int64(keyForm.rawValue)),
      "authenticationAlgorithm": .integer(Int64(signatureForm.rawValue)),
      "signCounter": .integer(Int64(signCounter)), "regCounter": .integer(Int64(registrationCounter)),
      "authenticatorVersion": .integer(Int64(authenticatorVersion)),
      "attestationType": .integer(Int64(attestationType)),
      "userVerificationState": userVerificationState.map { .string(Base64URL.encode($0)) } ?? .null,
    ]
  }

  /// Reads what `json` wrote. Throws `ExpectationError`, which names the member.
  public init(json: JSONValue, path: String = "") throws(ExpectationError) {
    let members = try ExpectationMembers(json, path: path)
    guard let aaid = UAFModelStatement.normalizedAAID(try members.text("aaid")) else { throw members.error("aaid") }
    let keyID = try members.bytes("keyID")
    guard (32...2048).contains(keyID.count) else { throw members.error("keyID") }
    self.init(
      aaid: aaid, keyID: keyID, publicKey: try members.bytes("publicKey"),
      keyForm: UAFKeyForm(rawValue: try members.number("publicKeyAlgAndEncoding")),
      signatureForm: UAFSignatureForm(rawValue: try members.number("authenticationAlgorithm")),
      signCounter: try members.number("signCounter"),
      registrationCounter: try members.optionalNumber("regCounter") ?? 0,
      authenticatorVersion: try members.number("authenticatorVersion"),
      userVerificationState: try members.optionalBytes("userVerificationState"),
      attestationType: try members.optionalNumber("attestationType") ?? UAFModelStatement.basicSurrogate)
  }
}
