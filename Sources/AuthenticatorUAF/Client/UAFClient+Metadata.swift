import AuthenticatorCoding
import AuthenticatorCore

extension UAFClient {
  /// Metadata statements of the authenticators that could be used now: what a server needs to know of them (FIDO UAF
  /// Authenticator Metadata Statements). Silent.
  public func metadataStatements() async -> [JSONValue] {
    var statements: [JSONValue] = []
    for one in module(callerID: "").authenticators {
      guard let information = await one.information(displaysImages: advertisesImages) else { continue }
      statements.append(.object(statement(of: one.model, information)))
    }
    return statements
  }

  private func statement(of model: UAFAuthenticatorModel, _ information: UAFAuthenticatorInformation) -> JSONObject {
    let methods = (0..<32).map { UInt32(1) << UInt32($0) }
      .filter { model.userVerification.rawValue & $0 != 0 && $0 != UserVerificationMethods.all.rawValue }
    let details = methods.map { JSONValue.object(["userVerification": .integer(Int64($0))]) }
    let needsAll = model.userVerification.contains(.all)
    // A verification that the app hands over is not a fresh one.
    let isFresh = configuration.devices.biometric.contextDelegate == nil || !model.behavior.admitsHandedOverContexts
    let roots = model.possibleAttestations.contains(.basicFull) ? model.attestationKey?.chain.suffix(1) ?? [] : []
    var statement: JSONObject = [
      "aaid": .string(model.aaid.rawValue),
      "description": .string(model.description.isEmpty ? model.title : model.description),
      "authenticatorVersion": .integer(Int64(model.authenticatorVersion)), "protocolFamily": "uaf",
      "upv": .array(model.versions.map(\.json)), "assertionScheme": .string(UAFAuthenticatorModel.assertionScheme),
      "authenticationAlgorithm": .integer(Int64(model.authenticationAlgorithm.rawValue)),
      "publicKeyAlgAndEncoding": .integer(Int64(model.publicKeyFormat.rawValue)),
      "attestationTypes": .array(information.attestationTypes.map { .integer(Int64($0.rawValue)) }),
      "userVerificationDetails": .array(needsAll ? [.array(details)] : details.map { .array([$0]) }),
      "keyProtection": .integer(Int64(information.keyProtection.rawValue)),
      "isFreshUserVerificationRequired": .bool(isFresh),
      "matcherProtection": .integer(Int64(information.matcherProtection.rawValue)),
      "attachmentHint": .integer(Int64(information.attachmentHint.rawValue)),
      "isSecondFactorOnly": .bool(model.isSecondFactorOnly),
      "tcDisplay": .integer(Int64(information.tcDisplay.rawValue)),
      "attestationRootCertificates": .array(roots.map { .string(Base64.encode($0)) }),
    ]
    if let type = information.tcDisplayContentTypes.first { statement["tcDisplayContentType"] = .string(type) }
    if !information.tcDisplayPNGCharacteristics.isEmpty {
      statement["tcDisplayPNGCharacteristics"] = .array(information.tcDisplayPNGCharacteristics.map(\.json))
    }
    return statement
  }
}

extension UAFBehavior {
  fileprivate var admitsHandedOverContexts: Bool {
    authenticator == .biometricOnly || authenticator == .biometricAllowFallback
  }
}
