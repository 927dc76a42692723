import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorUAF

/// The authenticators of `--authenticators`: which models this device has, and what each does.
enum AuthenticatorsFile {
  /// Members that say something here.
  private static let read: Set<String> = [
    "aaid", "behaviour", "title", "description", "authenticatorVersion", "upv", "assertionScheme",
    "authenticationAlgorithm", "publicKeyAlgAndEncoding", "attestationTypes", "attestationKey", "attestationChain",
    "userVerification", "keyProtection", "matcherProtection", "attachmentHint", "isSecondFactorOnly", "tcDisplay",
    "maximumKeys",
  ]

  /// What this device has without a file. The numbers are no vendor's: for development only.
  static var standard: [UAFAuthenticatorModel] {
    let behaviors: [(String, UAFBehavior)] = [
      ("FFFF#0001", .passcode), ("FFFF#0002", .biometricWithState), ("FFFF#0003", .biometricWithKeyDeletion),
      ("FFFF#0004", .biometricOrPasscode), ("FFFF#0005", .presence), ("FFFF#0006", .silent),
    ]
    return behaviors.compactMap { name, behavior in
      AAID(name).map { UAFAuthenticatorModel(aaid: $0, behavior: behavior) }
    }
  }

  /// What the library finds wrong with a model, in the words of the file.
  static func reason(_ error: AuthenticatorError) -> String {
    let names = ["versions": "upv", "publicKeyFormat": "publicKeyAlgAndEncoding", "behavior": "behaviour"]
    var parts = error.reason.split(separator: " ", maxSplits: 2).map(String.init)
    if parts.count == 3, parts[0].hasSuffix(":"), let name = names[parts[1]] { parts[1] = name }
    return parts.joined(separator: " ")
  }

  /// - Throws: an unusable-input failure that names the file and the member.
  static func models(_ path: String) throws -> [UAFAuthenticatorModel] {
    let json = try InputFile.json(path)
    let unusable = { (what: String) in
      Failure.unusable("inputUnusable", "\(InputFile.name(path)): \(what)", stage: "authenticators")
    }
    guard let object = json.objectValue, object["version"] == 1 else { throw unusable("version must be 1") }
    if let name = object.names.first(where: { $0 != "version" && $0 != "authenticators" }) {
      throw unusable("'\(name)' is unknown")
    }
    guard let list = object["authenticators"]?.arrayValue, (1...64).contains(list.count) else {
      throw unusable("authenticators must be a list of 1 to 64")
    }
    var models: [UAFAuthenticatorModel] = []
    for (index, element) in list.enumerated() {
      let place = "authenticators[\(index)]"
      guard let members = element.objectValue else { throw unusable("\(place) must be an object") }
      let model = try Self.model(
        ModelMembers(object: members, unusable: { unusable("\(place).\($0) \($1)") }))
      guard !models.contains(where: { $0.aaid == model.aaid }) else {
        throw unusable("\(place).aaid stands there twice")
      }
      models.append(model)
    }
    return models
  }

  private static func model(_ members: ModelMembers) throws -> UAFAuthenticatorModel {
    for member in members.object where !read.contains(member.name) {
      if let complaint = StatementMember.complaint(about: member.name, member.value) {
        throw members.unusable(member.name, complaint)
      }
    }
    guard let aaid = members.object["aaid"]?.stringValue.flatMap(AAID.init) else { throw members.malformed("aaid") }
    guard let behavior = UAFBehavior.builtIn.first(where: { $0.name == members.object["behaviour"]?.stringValue })
    else {
      let names = UAFBehavior.builtIn.map(\.name).joined(separator: ", ")
      throw members.unusable("behaviour", "must be one of: \(names)")
    }
    if let scheme = members.object["assertionScheme"], scheme.stringValue != UAFAuthenticatorModel.assertionScheme {
      throw members.malformed("assertionScheme")
    }
    let algorithm = UAFAlgorithm(
      rawValue: try members.number("authenticationAlgorithm") ?? UAFAlgorithm.secp256r1ECDSASHA256Raw.rawValue)
    guard UAFAlgorithm.supported.contains(algorithm) else {
      throw members.unusable("authenticationAlgorithm", "is not supported")
    }
    var model = UAFAuthenticatorModel(
      aaid: aaid, behavior: behavior, title: try members.text("title"),
      authenticationAlgorithm: algorithm,
      publicKeyFormat: try members.number("publicKeyAlgAndEncoding").map(UAFPublicKeyFormat.init),
      userVerification: try members.number("userVerification").map(UserVerificationMethods.init),
      keyProtection: try members.number("keyProtection").map(KeyProtectionTypes.init),
      tcDisplay: try members.number("tcDisplay").map(TransactionConfirmationDisplay.init))
    if let list = members.object["upv"] {
      guard let versions = list.arrayValue.flatMap({ try? $0.map { try UAFVersion($0) } }) else {
        throw members.malformed("upv")
      }
      model.versions = versions
    }
    model.description = try members.text("description") ?? ""
    model.authenticatorVersion = try members.number("authenticatorVersion") ?? model.authenticatorVersion
    model.matcherProtection =
      try members.number("matcherProtection").map(MatcherProtectionTypes.init) ?? model.matcherProtection
    model.attachmentHint = try members.number("attachmentHint").map(AttachmentHint.init) ?? model.attachmentHint
    model.maximumKeys = try members.number("maximumKeys", UInt16.self).map { Int($0) }
    if let flag = members.object["isSecondFactorOnly"] {
      guard let isSecondFactor = flag.boolValue else { throw members.malformed("isSecondFactorOnly") }
      model.isSecondFactorOnly = isSecondFactor
    }
    if let list = members.object["attestationTypes"] {
      guard let numbers = list.arrayValue?.map(\.intValue), !numbers.isEmpty else {
        throw members.malformed("attestationTypes")
      }
      model.attestationTypes = try numbers.map { number in
        guard let value = number.flatMap(UInt16.init(exactly:)) else { throw members.malformed("attestationTypes") }
        return UAFAttestationType(rawValue: value)
      }
    }
    if members.object["tcDisplayContentType"] != nil, model.tcDisplay.isEmpty {
      throw members.unusable("tcDisplayContentType", "tells of a display, and tcDisplay of none")
    }
    guard model.tcDisplay.isSubset(of: [.any, .privilegedSoftware]) else {
      throw members.unusable("tcDisplay", "is no display of this tool, which shows transactions by software")
    }
    if let details = members.object["userVerificationDetails"],
      StatementMember.methods(of: details) != model.userVerification.subtracting(.all)
    {
      throw members.unusable("userVerificationDetails", "are not the methods of behaviour and userVerification")
    }
    model.attestationKey = try attestationKey(members)
    if let list = members.object["attestationRootCertificates"] {
      let roots = model.attestationTypes.contains(.basicFull) ? model.attestationKey?.chain.suffix(1) ?? [] : []
      guard list.arrayValue?.map(\.stringValue) == roots.map({ Base64.encode($0) }) else {
        throw members.unusable(
          "attestationRootCertificates", "is not what attestationChain ends with; it is empty for surrogate attestation"
        )
      }
    }
    return model
  }

  /// The vendor's key and chain, both PEM files.
  private static func attestationKey(_ members: ModelMembers) throws -> UAFAttestationKey? {
    guard let keyPath = try members.text("attestationKey") else {
      // A chain alone attests nothing.
      guard members.object["attestationChain"] == nil else { throw members.malformed("attestationKey") }
      return nil
    }
    guard let chainPath = try members.text("attestationChain") else { throw members.malformed("attestationChain") }
    for (name, path) in [("attestationKey", keyPath), ("attestationChain", chainPath)] where path == "-" {
      throw members.unusable(name, "cannot be standard input")
    }
    let text = { (path: String) in String(decoding: try InputFile.bytes(path), as: UTF8.self) }
    let key: PrivateKey
    let chain: [X509Certificate]
    do { key = try PrivateKey(pem: try text(keyPath)) } catch let error as CryptoError {
      throw members.unusable("attestationKey", "(\(InputFile.name(keyPath))) cannot be read: \(error.reason)")
    }
    do { chain = try X509Certificate.certificates(pem: try text(chainPath)) } catch let error as CryptoError {
      throw members.unusable("attestationChain", "(\(InputFile.name(chainPath))) cannot be read: \(error.reason)")
    }
    guard let algorithm = UAFAlgorithm.supported.first(where: { $0.signatureAlgorithm == key.algorithm }) else {
      throw members.unusable("attestationKey", "(\(InputFile.name(keyPath))) is of a kind that attests nothing here")
    }
    do {
      return try UAFAttestationKey(key: key, algorithm: algorithm, chain: chain.map(\.derRepresentation))
    } catch let error as AuthenticatorError {
      let (name, path) =
        error.reason.hasPrefix("the key ") ? ("attestationKey", keyPath) : ("attestationChain", chainPath)
      throw members.unusable(name, "(\(InputFile.name(path))) cannot be used: \(error.reason)")
    }
  }
}

/// The members of one authenticator.
private struct ModelMembers {
  let object: JSONObject
  let unusable: (_ name: String, _ why: String) -> Failure

  func malformed(_ name: String) -> Failure { unusable(name, object[name] == nil ? "is missing" : "is malformed") }

  func text(_ name: String) throws -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.stringValue, (1...1024).contains(text.utf8.count) else { throw malformed(name) }
    return text
  }

  func number<Value: FixedWidthInteger>(_ name: String, _ type: Value.Type = Value.self) throws -> Value? {
    guard let value = object[name] else { return nil }
    guard let number = value.intValue.flatMap(Value.init(exactly:)) else { throw malformed(name) }
    return number
  }
}
