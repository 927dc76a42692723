internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// The client's side of the extensions of a new credential (WebAuthn Level 3 sections 9.3 and 10.1). Inputs it does not
/// know are ignored; those it knows must have the right kind.
struct RegistrationClientExtensions {
  private(set) var inputs = RegistrationExtensions()
  private let asksForProperties: Bool
  private let asksForHMACSecret: Bool
  private let asksForPRF: Bool
  private let asksForLargeBlob: Bool
  /// The AppID whose credentials are excluded as well; nil: none.
  let excludedAppID: String?
  /// Whether the person must be verified for what is asked.
  let needsVerification: Bool

  /// - Parameters:
  ///   - canVerify: whether the authenticator can verify the person.
  ///   - isAppIDAllowed: whether the caller may speak for an AppID.
  init(_ object: JSONObject, canVerify: Bool, isAppIDAllowed: (String) -> Bool) throws {
    let members = try JSONMembers(.object(object), path: "extensions")
    asksForProperties = try members.optionalBool("credProps") ?? false
    let enforcesProtection = try members.optionalBool("enforceCredentialProtectionPolicy") ?? false
    if let word = try members.optionalText("credentialProtectionPolicy") {
      guard let policy = CredentialProtectionPolicy(word: word) else {
        throw members.error(.wrongType, "credentialProtectionPolicy")
      }
      if policy < .userVerificationRequired || canVerify {
        inputs.protection = policy
      } else if enforcesProtection {
        throw AuthenticatorError(.constraintNotMet, stage: "credProtect", reason: "the person cannot be verified")
      }
    }
    inputs.requestsMinimumPINLength = try members.optionalBool("minPinLength") ?? false
    inputs.blob = try members.optionalBytes("credBlob", toleratingPadding: true)
    inputs.requestsVerificationMethods = try members.optionalBool("uvm") ?? false
    asksForHMACSecret = try members.optionalBool("hmacCreateSecret") ?? false

    let prf = try members.optionalMembers("prf")
    asksForPRF = prf != nil
    if let prf {
      guard try prf.optionalMembers("evalByCredential") == nil else {
        throw WebAuthnError(.notSupported, "prf.evalByCredential has no place in a registration")
      }
      if let eval = try prf.optionalMembers("eval") {
        inputs.hmacSecret = HMACSecretEvaluation(salts: try HMACSecretSalts(prf: eval))
      }
    }
    // What prf yields is derived for a verified person only.
    inputs.requestsHMACSecret = asksForHMACSecret || (asksForPRF && canVerify)
    needsVerification = asksForPRF && canVerify

    let largeBlob = try members.optionalMembers("largeBlob")
    asksForLargeBlob = largeBlob != nil
    if let largeBlob {
      guard try largeBlob.optionalBool("read") == nil, try largeBlob.optionalText("write") == nil else {
        throw WebAuthnError(.notSupported, "largeBlob.read and largeBlob.write have no place in a registration")
      }
      if let support = try largeBlob.optionalText("support"), !["required", "preferred"].contains(support) {
        throw largeBlob.error(.wrongType, "support")
      }
      inputs.requestsLargeBlob = true
    }

    excludedAppID = try members.optionalText("appidExclude")
    if let excludedAppID, !isAppIDAllowed(excludedAppID) {
      throw WebAuthnError(.security, "the AppID does not belong to the origin")
    }
  }

  func outputs(_ result: MakeCredentialResult, requireResidentKey: Bool) -> JSONObject {
    var outputs = JSONObject()
    let results = result.extensions
    if excludedAppID != nil { outputs["appidExclude"] = true }
    if inputs.blob != nil {
      let isStored = result.attestationObject.authenticatorData.extensions?["credBlob"]?.boolValue ?? false
      outputs["credBlob"] = .bool(isStored)
    }
    if asksForProperties { outputs["credProps"] = ["rk": .bool(requireResidentKey)] }
    if asksForHMACSecret { outputs["hmacCreateSecret"] = .bool(results.hasHMACSecret) }
    if asksForLargeBlob { outputs["largeBlob"] = ["supported": .bool(results.hasLargeBlob)] }
    if asksForPRF {
      var prf: JSONObject = ["enabled": .bool(results.hasHMACSecret)]
      if let secrets = results.hmacSecret { prf["results"] = secrets.json }
      outputs["prf"] = .object(prf)
    }
    if let methods = results.verificationMethods { outputs["uvm"] = methods.json }
    return outputs
  }
}

extension HMACSecretSalts {
  /// Reads `{first, second?}`; both are inputs of the prf extension.
  init(prf members: JSONMembers) throws(WebAuthnJSONError) {
    self.init(
      prfFirst: try members.bytes("first", toleratingPadding: true),
      second: try members.optionalBytes("second", toleratingPadding: true))
  }
}

extension HMACSecretOutputs {
  /// `{first, second?}` in base64url. Keys: whoever sends the response to a server strips them first.
  var json: JSONValue {
    let text = { (secret: SecretBytes) in JSONValue.string(secret.withUnsafeBytes { Base64URL.encode(Array($0)) }) }
    var object: JSONObject = ["first": text(first)]
    if let second { object["second"] = text(second) }
    return .object(object)
  }
}

extension [UserVerificationMethodEntry] {
  var json: JSONValue {
    .array(
      map { [.integer(Int64($0.method)), .integer(Int64($0.keyProtection)), .integer(Int64($0.matcherProtection))] })
  }
}
