extension NodeFactories {
  /// The nodes that enroll trusted devices and sign in with them.
  static let trustedDevices: [String: NodeFactory] = [
    TrustedDeviceEnrollNode.nodeType: { settings throws(JourneyTreeError) in
      var node = TrustedDeviceEnrollNode()
      node.policy = try settings.trustedDevicePolicy("policy") ?? node.policy
      node.reason = try settings.localizedText("reason") ?? node.reason
      node.timeout = try settings.integer("timeout") ?? node.timeout
      return node
    },
    TrustedDeviceSignInNode.nodeType: { settings throws(JourneyTreeError) in
      var node = TrustedDeviceSignInNode()
      node.reason = try settings.localizedText("reason") ?? node.reason
      node.timeout = try settings.integer("timeout") ?? node.timeout
      return node
    },
  ]
}

extension NodeSettings {
  fileprivate func trustedDevicePolicy(_ name: String) throws(JourneyTreeError) -> TrustedDeviceEnrollNode.Policy? {
    guard let text = try text(name) else { return nil }
    guard let policy = TrustedDeviceEnrollNode.Policy(rawValue: text) else { throw invalid(name) }
    return policy
  }
}
