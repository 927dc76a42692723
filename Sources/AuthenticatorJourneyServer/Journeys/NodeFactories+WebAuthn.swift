extension NodeFactories {
  /// The WebAuthn nodes and those of recovery codes, with PingAM's defaults.
  static let webAuthn: [String: NodeFactory] = [
    WebAuthnRegistrationNode.nodeType: { settings throws(JourneyTreeError) in
      var node = WebAuthnRegistrationNode()
      node.relyingPartyName = try settings.text("relyingPartyName") ?? node.relyingPartyName
      node.relyingPartyID = try settings.relyingPartyDomain()
      node.origins = try settings.origins()
      node.userVerification = try settings.word("userVerificationRequirement") ?? node.userVerification
      node.attestation = try settings.word("attestationPreference") ?? node.attestation
      guard let algorithms = try settings.algorithms() else { return nil }
      node.algorithms = algorithms
      node.attachment = try settings.word("authenticatorAttachment", unless: "UNSPECIFIED")
      node.trustStore = try settings.nonemptyText("trustStoreAlias")
      node.enforcesRevocationCheck = try settings.bool("enforceRevocationCheck") ?? false
      node.certificationLevel = try settings.word("fidoCertificationLevel", unless: "OFF")
      node.timeout = try settings.integer("timeout") ?? node.timeout
      node.excludesCredentials = try settings.bool("excludeCredentials") ?? false
      node.generatesRecoveryCodes = try settings.bool("generateRecoveryCodes") ?? true
      node.storesAttestationData = try settings.bool("storeAttestationDataInTransientState") ?? false
      node.postponesStorage = try settings.bool("postponeDeviceProfileStorage") ?? false
      node.residentKey = try settings.word("residentKeyRequirement", unless: "UNSPECIFIED")
      if node.residentKey == nil, try settings.bool("requiresResidentKey") == true { node.residentKey = .required }
      node.displayNameState = try settings.nonemptyText("displayNameSharedState")
      node.asScript = try settings.bool("asScript") ?? true
      node.maxSavedDevices = try settings.integer("maxSavedDevices") ?? 0
      return node
    },
    WebAuthnAuthenticationNode.nodeType: { settings throws(JourneyTreeError) in
      var node = WebAuthnAuthenticationNode()
      node.relyingPartyID = try settings.relyingPartyDomain()
      node.origins = try settings.origins()
      node.userVerification = try settings.word("userVerificationRequirement") ?? node.userVerification
      node.allowsRecoveryCode = try settings.bool("isRecoveryCodeAllowed") ?? false
      node.timeout = try settings.integer("timeout") ?? node.timeout
      node.takesUsernameFromDevice = try settings.bool("requiresResidentKey") ?? false
      node.asScript = try settings.bool("asScript") ?? true
      node.detectsSignCountMismatch = try settings.bool("detectSignCountMismatch") ?? false
      return node
    },
    WebAuthnDeviceStorage.nodeType: { settings throws(JourneyTreeError) in
      WebAuthnDeviceStorage(
        generatesRecoveryCodes: try settings.bool("generateRecoveryCodes") ?? true,
        maxSavedDevices: try settings.integer("maxSavedDevices") ?? 0)
    },
    RecoveryCodeDisplay.nodeType: { _ in RecoveryCodeDisplay(asScript: true) },
    RecoveryCodeCollectorDecision.nodeType: { settings throws(JourneyTreeError) in
      // The codes of other kinds of devices are not kept here.
      let type = try settings.text("recoveryCodeType") ?? "WEB_AUTHN"
      return type == "WEB_AUTHN" ? RecoveryCodeCollectorDecision() : nil
    },
  ]
}

extension NodeSettings {
  fileprivate func nonemptyText(_ name: String) throws(JourneyTreeError) -> String? {
    guard let text = try text(name), !text.isEmpty else { return nil }
    return text
  }

  /// An ID that could be some relying party's; nil: the server's.
  fileprivate func relyingPartyDomain() throws(JourneyTreeError) -> String? {
    let name = "relyingPartyDomain"
    guard let domain = try nonemptyText(name) else { return nil }
    guard WebAuthnConfiguration.fault(ofRelyingPartyID: domain) == nil else { throw invalid(name) }
    return domain
  }

  /// Origins that could be some client's; empty: the server's.
  fileprivate func origins() throws(JourneyTreeError) -> [String] {
    let origins = try texts("origins") ?? []
    guard origins.allSatisfy({ WebAuthnConfiguration.fault(ofOrigin: $0) == nil }) else { throw invalid("origins") }
    return origins
  }

  /// A word of PingAM's, which are the standard's in capitals and with underscores; nil when it is absent or `absent`.
  fileprivate func word<Word: CaseIterable & RawRepresentable<String>>(
    _ name: String, unless absent: String = ""
  ) throws(JourneyTreeError) -> Word? {
    func key(_ text: String) -> String { text.lowercased().filter { $0 != "_" && $0 != "-" } }
    guard let text = try nonemptyText(name), text != absent else { return nil }
    guard let word = Word.allCases.first(where: { key($0.rawValue) == key(text) }) else { throw invalid(name) }
    return word
  }

  /// The algorithms to offer; nil: none of those asked for is known. The ones that are not are not offered.
  fileprivate func algorithms() throws(JourneyTreeError) -> [WebAuthnAlgorithm]? {
    let name = "acceptedSigningAlgorithms"
    guard let words = try texts(name), !words.isEmpty else { return WebAuthnRegistrationNode().algorithms }
    var algorithms: [WebAuthnAlgorithm] = []
    for word in words {
      switch word {
      case "ES256": algorithms.append(.es256)
      case "ES384": algorithms.append(.es384)
      case "ES512": algorithms.append(.es512)
      case "EDDSA": algorithms.append(.edDSA)
      case "RS256": algorithms.append(.rs256)
      case "PS256": algorithms.append(.ps256)
      case "RS384", "RS512": break
      default: throw invalid(name)
      }
    }
    return algorithms.isEmpty ? nil : algorithms
  }
}
