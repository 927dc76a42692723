internal import AuthenticatorCoding
internal import AuthenticatorCore

/// The client's side of the extensions of an assertion (WebAuthn Level 3 sections 9.3 and 10.1). Inputs it does not
/// know are ignored; those it knows must have the right kind.
struct AuthenticationClientExtensions {
  private(set) var inputs = AssertionExtensions()
  /// The AppID whose credentials may be used; nil: none.
  let appID: String?
  /// Whether the person must be verified for what is asked.
  let needsVerification: Bool
  private let asksForPRF: Bool

  /// - Parameters:
  ///   - allowCredentials: the options' list, without entries of unknown type.
  ///   - canVerify: whether the authenticator can verify the person.
  ///   - isAppIDAllowed: whether the caller may speak for an AppID.
  init(
    _ object: JSONObject, allowCredentials: [PublicKeyCredentialDescriptor], canVerify: Bool,
    isAppIDAllowed: (String) -> Bool
  ) throws {
    let members = try JSONMembers(.object(object), path: "extensions")
    appID = try members.optionalText("appid")
    if let appID, !isAppIDAllowed(appID) {
      throw WebAuthnError(.security, "the AppID does not belong to the origin")
    }
    inputs.requestsVerificationMethods = try members.optionalBool("uvm") ?? false
    inputs.requestsBlob = try members.optionalBool("getCredBlob") ?? false

    let prf = try members.optionalMembers("prf")
    asksForPRF = prf != nil
    if let prf {
      let evaluation = HMACSecretEvaluation(
        salts: try prf.optionalMembers("eval").map { try HMACSecretSalts(prf: $0) },
        saltsByCredential: try Self.saltsByCredential(prf, allowCredentials))
      let isAsked = evaluation.salts != nil || !evaluation.saltsByCredential.isEmpty
      if isAsked, canVerify { inputs.hmacSecret = evaluation }
    }
    needsVerification = inputs.hmacSecret != nil

    if let largeBlob = try members.optionalMembers("largeBlob") {
      inputs.largeBlob = try Self.largeBlob(largeBlob, allowCredentials)
    }
  }

  private static func saltsByCredential(
    _ prf: JSONMembers, _ allowCredentials: [PublicKeyCredentialDescriptor]
  ) throws -> [CredentialID: HMACSecretSalts] {
    guard let members = try prf.optionalMembers("evalByCredential"), !members.object.isEmpty else { return [:] }
    guard !allowCredentials.isEmpty else {
      throw WebAuthnError(.notSupported, "prf.evalByCredential needs a list of allowed credentials")
    }
    let allowed = Set(allowCredentials.map(\.id))
    var salts: [CredentialID: HMACSecretSalts] = [:]
    for name in members.object.names {
      let bytes: [UInt8]
      // As tolerant as the list, whose names they are. Two texts may name one credential then.
      do { bytes = try Base64URL.decode(name, padding: .tolerated) } catch { throw Self.unknownCredential }
      guard let id = CredentialID(bytes), allowed.contains(id) else { throw Self.unknownCredential }
      guard salts[id] == nil else { throw WebAuthnError(.syntax, "prf.evalByCredential names a credential twice") }
      salts[id] = try HMACSecretSalts(prf: try members.members(name))
    }
    return salts
  }

  private static var unknownCredential: WebAuthnError {
    WebAuthnError(.syntax, "prf.evalByCredential names a credential that is not in the list")
  }

  private static func largeBlob(
    _ members: JSONMembers, _ allowCredentials: [PublicKeyCredentialDescriptor]
  ) throws -> AssertionExtensions.LargeBlob? {
    guard try members.optionalText("support") == nil else {
      throw WebAuthnError(.notSupported, "largeBlob.support has no place in an authentication")
    }
    let content = try members.optionalBytes("write", toleratingPadding: true)
    let read = try members.optionalBool("read") ?? false
    guard let content else { return read ? .read : nil }
    guard !read else { throw WebAuthnError(.notSupported, "largeBlob.read and largeBlob.write exclude each other") }
    guard allowCredentials.count == 1 else {
      throw WebAuthnError(.notSupported, "largeBlob.write needs exactly one allowed credential")
    }
    return .write(content)
  }

  func outputs(_ result: AssertionResult) -> JSONObject {
    var outputs = JSONObject()
    let results = result.extensions
    if appID != nil { outputs["appid"] = .bool(result.usedAppID) }
    if inputs.requestsBlob { outputs["getCredBlob"] = .string(Base64URL.encode(results.blob ?? [])) }
    if let largeBlob = inputs.largeBlob {
      var object = JSONObject()
      if case .write = largeBlob { object["written"] = .bool(results.isLargeBlobWritten ?? false) }
      if let content = results.largeBlob { object["blob"] = .string(Base64URL.encode(content)) }
      outputs["largeBlob"] = .object(object)
    }
    if asksForPRF {
      var prf = JSONObject()
      if let secrets = results.hmacSecret { prf["results"] = secrets.json }
      outputs["prf"] = .object(prf)
    }
    if let methods = results.verificationMethods { outputs["uvm"] = methods.json }
    return outputs
  }
}
