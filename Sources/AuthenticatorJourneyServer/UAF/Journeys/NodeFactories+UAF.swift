internal import AuthenticatorRelyingParty

extension NodeFactories {
  /// The nodes of UAF. `aaids` names the models that may answer; without it the server's settings say so.
  static let uaf: [String: NodeFactory] = [
    UAFRegistrationNode.nodeType: { settings throws(JourneyTreeError) in
      var node = UAFRegistrationNode()
      node.policy = try settings.uafPolicy("aaids")
      node.timeout = try settings.integer("timeout") ?? node.timeout
      return node
    },
    UAFAuthenticationNode.nodeType: { settings throws(JourneyTreeError) in
      var node = UAFAuthenticationNode()
      node.policy = try settings.uafPolicy("aaids")
      node.timeout = try settings.integer("timeout") ?? node.timeout
      node.concealsMissingKeys = try settings.bool("concealMissingKeys") ?? false
      if let text = try settings.localizedText("transactionText") {
        guard (try? UAFTransactionContent(text: text)) != nil else { throw settings.invalid("transactionText") }
        node.transaction = .text(text)
      } else if let name = try settings.text("transactionState") {
        node.transaction = .state(name)
      }
      return node
    },
    UAFEnrollmentUpdate.nodeType: { _ in UAFEnrollmentUpdate() },
    UAFDeregistrationNode.nodeType: { settings throws(JourneyTreeError) in
      UAFDeregistrationNode(timeout: try settings.integer("timeout") ?? 120)
    },
  ]
}

extension NodeSettings {
  fileprivate func uafPolicy(_ name: String) throws(JourneyTreeError) -> UAFAcceptancePolicy? {
    guard let names = try texts(name) else { return nil }
    let aaids = names.compactMap { UAFModelStatement.normalizedAAID($0) }
    guard !aaids.isEmpty, aaids.count == names.count else { throw invalid(name) }
    return UAFAcceptancePolicy(anyOf: aaids)
  }
}
