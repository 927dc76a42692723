import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// The members of a WebAuthn step, by whatever form they came, and the rules for reading them.
///
/// Errors name the member and the callback, never a value.
struct StepMembers {
  /// The most entries of a list.
  static let listLimit = 1024
  static let maximumChallengeBytes = 8192

  let label: String
  let lookUp: (String) -> JSONValue?

  /// Nil when the member is absent or null.
  subscript(name: String) -> JSONValue? { lookUp(name).flatMap { $0.isNull ? nil : $0 } }

  func missing(_ name: String) -> AuthenticatorError { error("Missing \(name)") }
  func malformed(_ name: String) -> AuthenticatorError { error("Malformed \(name)") }

  private func error(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidMessage, stage: "journey.callback", reason: "\(what) in \(label)")
  }

  // MARK: Plain members

  func optionalText(_ name: String) throws -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.stringValue else { throw malformed(name) }
    return text
  }

  func text(_ name: String) throws -> String {
    guard let text = try optionalText(name) else { throw missing(name) }
    return text
  }

  /// Milliseconds, as a number or as text; 60 seconds when the server does not say.
  func timeout() throws -> Int {
    guard let value = self["timeout"] else { return 60_000 }
    guard let milliseconds = value.wholeNumberValue ?? value.stringValue.flatMap({ Int($0) }) else {
      throw malformed("timeout")
    }
    return max(milliseconds, 0)
  }

  func extensions() throws -> JSONObject {
    guard let value = self["extensions"], value != "" else { return [:] }
    guard let object = value.objectValue else { throw malformed("extensions") }
    return object
  }

  func flag(_ name: String) throws -> Bool {
    guard let value = self[name], value != "" else { return false }
    if let flag = value.boolValue { return flag }
    guard let text = value.stringValue, text == "true" || text == "false" else { throw malformed(name) }
    return text == "true"
  }

  // MARK: Bytes and credentials

  /// Base64 of either alphabet, padded or not, or a list of numbers.
  func bytes(_ value: JSONValue, maximumCount: Int) -> [UInt8]? {
    if let list = value.arrayValue { return SignedBytes.decode(list, maximumCount: maximumCount) }
    guard let text = value.stringValue, text.utf8.count <= maximumCount * 2 else { return nil }
    do { return try Base64.decode(text, padding: .tolerated) } catch {}
    do { return try Base64URL.decode(text, padding: .tolerated) } catch { return nil }
  }

  func challenge() throws -> [UInt8] {
    guard let value = self["challenge"] else { throw missing("challenge") }
    guard let bytes = bytes(value, maximumCount: Self.maximumChallengeBytes), !bytes.isEmpty else {
      throw malformed("challenge")
    }
    return bytes
  }

  /// Credentials by name; nil stands for no list.
  func descriptors(_ list: [JSONValue]?, _ name: String) throws -> [PublicKeyCredentialDescriptor] {
    let list = list ?? []
    guard list.count <= Self.listLimit else { throw malformed(name) }
    return try list.map { entry in
      guard let type = entry["type"]?.stringValue, let value = entry["id"],
        let id = bytes(value, maximumCount: CredentialID.maximumSize).flatMap(CredentialID.init)
      else { throw malformed(name) }
      let transports = (entry["transports"]?.arrayValue ?? []).compactMap(\.stringValue)
      return PublicKeyCredentialDescriptor(
        type: PublicKeyCredentialType(rawValue: type), id: id,
        transports: transports.map(AuthenticatorTransport.init(rawValue:)))
    }
  }

  /// The server's algorithms in its order, those nobody here knows included: they are passed over later.
  func parameters(_ list: [JSONValue]?) throws -> [PublicKeyCredentialParameters] {
    let name = "pubKeyCredParams"
    guard let list else { throw missing(name) }
    guard (1...Self.listLimit).contains(list.count) else { throw malformed(name) }
    return try list.map { entry in
      guard let type = entry["type"]?.stringValue, let value = entry["alg"],
        let algorithm = value.wholeNumberValue ?? value.stringValue.flatMap({ Int($0) })
      else { throw malformed(name) }
      return PublicKeyCredentialParameters(
        type: PublicKeyCredentialType(rawValue: type), algorithm: COSEAlgorithmIdentifier(rawValue: algorithm))
    }
  }

  func selection(_ value: JSONValue) throws -> AuthenticatorSelectionCriteria {
    guard let object = value.objectValue else { throw malformed("authenticatorSelection") }
    let members = StepMembers(label: label) { object[$0] }
    return AuthenticatorSelectionCriteria(
      authenticatorAttachment: try members.optionalText("authenticatorAttachment").map(
        AuthenticatorAttachment.init(rawValue:)),
      residentKey: try members.optionalText("residentKey").map(ResidentKeyRequirement.init(rawValue:)),
      requireResidentKey: try members.flag("requireResidentKey"),
      userVerification: try members.optionalText("userVerification").map(UserVerificationRequirement.init(rawValue:)))
  }

  /// The account. Its handle is the text of `userId` itself, not what the text encodes: so has every client of this
  /// server done it, and so the server reads it back.
  func user(id: String, name: String, displayName: String?) throws -> PublicKeyCredentialUserEntity {
    let shown = displayName.flatMap { $0.isEmpty ? nil : $0 } ?? name
    guard let user = PublicKeyCredentialUserEntity(id: Array(id.utf8), name: name, displayName: shown) else {
      throw malformed("userId")
    }
    return user
  }
}
