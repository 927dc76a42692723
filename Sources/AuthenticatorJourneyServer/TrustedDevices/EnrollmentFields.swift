internal import AuthenticatorCore
internal import AuthenticatorRelyingParty

/// What a device says of itself when it enrolls: the fields of the form, or the members of a journey's answer.
struct EnrollmentFields: Sendable {
  private static let maximumNameBytes = 1024

  let platform: String
  let appIdentifier: String
  /// As the device calls itself, fit to be shown; nil: it has no name.
  let name: String?
  let algorithm: String
  let key: TrustedDeviceKey
  /// What must come again unchanged with the signature.
  let bound: [ChallengeBinding.BoundField]

  /// Reads and checks the fields.
  ///
  /// Throws `FrontendFailure` with the name of the field at fault.
  init(_ value: (String) -> String?, appIdentifiers: Set<String>) throws(FrontendFailure) {
    func required(_ name: String) throws(FrontendFailure) -> String {
      guard let text = value(name), !text.isEmpty else { throw FrontendFailure(.formParamMissing, name) }
      return text
    }
    platform = try required("platform")
    appIdentifier = try required("app_identifier")
    algorithm = try required("algorithm")
    let jwk = try required("public_key_jwk")
    let name = value("name")
    guard (1...32).contains(platform.utf8.count), platform.utf8.allSatisfy(Self.isWordByte) else {
      throw FrontendFailure(.formParamValueInvalid, "platform")
    }
    guard appIdentifiers.contains(appIdentifier) else {
      throw FrontendFailure(.trustedDeviceAppIdentifierNotConfigured, "app_identifier")
    }
    guard algorithm == "ES256" else { throw FrontendFailure(.formParamValueInvalid, "algorithm") }
    guard (name?.utf8.count ?? 0) <= Self.maximumNameBytes else {
      throw FrontendFailure(.formParamValueInvalid, "name")
    }
    let shown = DisplayText.deviceName(name, otherwise: "")
    self.name = shown.isEmpty ? nil : shown
    do { key = try TrustedDeviceKey(jwk: jwk) } catch {
      throw FrontendFailure(.trustedDeviceInvalidPublicKey, "public_key_jwk")
    }
    bound = [
      .init("platform", platform), .init("app_identifier", appIdentifier), .init("name", name),
      .init("algorithm", algorithm), .init("public_key_jwk", jwk),
    ]
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 97...122, UInt8(ascii: "_"): true
    default: false
    }
  }

  func record(
    id: String, user: UserRecord, clientID: String?, installation: String?, now: UnixTime
  ) -> TrustedDeviceRecord {
    TrustedDeviceRecord(
      id: id, realm: user.realm, userID: user.id, clientID: clientID,
      installation: installation.map(TrustedDeviceServices.installationDigest), platform: platform,
      appIdentifier: appIdentifier, name: name, publicKey: key.x963Representation, createdAt: now)
  }
}

extension TrustedDeviceProof {
  /// Checks what a device signed.
  ///
  /// Throws `FrontendFailure` with the name of the field at fault.
  static func check(
    clientData: String, signature: String, algorithm: String, by key: TrustedDeviceKey
  ) throws(FrontendFailure) {
    do {
      try TrustedDeviceProof(clientData: clientData, signature: signature, algorithm: algorithm).verify(by: key)
    } catch {
      switch error.check {
      case .algorithm: throw FrontendFailure(.formParamValueInvalid, "algorithm")
      case .publicKey: throw FrontendFailure(.internalError)
      case .signatureForm, .signature:
        throw FrontendFailure(.trustedDeviceSignatureVerificationFailed, "signature")
      }
    }
  }
}
