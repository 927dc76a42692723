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
      let state = try settings.text("transactionState")
      if let text = try settings.uafText("transactionText") {
        // Only one of them could be shown.
        guard state == nil else { throw settings.invalid("transactionState") }
        node.transaction = .text(text)
      } else if let state {
        node.transaction = .state(state)
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

  /// A text to confirm. One that is given and says nothing is refused: it would silently be a plain sign-in.
  fileprivate func uafText(_ name: String) throws(JourneyTreeError) -> String? {
    guard let value = values[name], !value.isNull else { return nil }
    guard let text = try localizedText(name), (try? UAFTransactionContent(text: text)) != nil else {
      throw invalid(name)
    }
    return text
  }
}
