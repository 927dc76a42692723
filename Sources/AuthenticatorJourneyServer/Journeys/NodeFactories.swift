/// The node types that trees from JSON may use.
public struct NodeFactories: Sendable {
  private var factories: [String: NodeFactory]

  /// Makes a table from factories by node type.
  public init(_ factories: [String: NodeFactory]) { self.factories = factories }

  /// The names of the types that are known, sorted.
  public var types: [String] { factories.keys.sorted() }

  /// The factory of a type, by its name in exports. Set one to add a type or replace it.
  public subscript(type: String) -> NodeFactory? {
    get { factories[type] }
    set { factories[type] = newValue }
  }

  /// Every node of this module.
  public static let standard = NodeFactories(
    plain.merging(webAuthn) { $1 }.merging(trustedDevices) { $1 }.merging(uaf) { $1 })

  private static let plain: [String: NodeFactory] = [
    UsernameCollector.nodeType: { _ in UsernameCollector() },
    PasswordCollector.nodeType: { _ in PasswordCollector() },
    // Without validation the platform's collectors send the same callbacks.
    "ValidatedUsernameNode": { settings throws(JourneyTreeError) in
      try settings.bool("validateInput") == true ? nil : UsernameCollector()
    },
    "ValidatedPasswordNode": { settings throws(JourneyTreeError) in
      try settings.bool("validateInput") == true ? nil : PasswordCollector()
    },
    DataStoreDecision.nodeType: { _ in DataStoreDecision() },
    PageNode.nodeType: { settings throws(JourneyTreeError) in
      PageNode(
        stage: try settings.text("stage"), header: try settings.localizedText("pageHeader"),
        description: try settings.localizedText("pageDescription"), nodes: try settings.children("nodes"))
    },
    MessageNode.nodeType: { settings throws(JourneyTreeError) in
      MessageNode(
        try settings.localizedText("message") ?? "Default message",
        yes: try settings.localizedText("messageYes") ?? "Yes", no: try settings.localizedText("messageNo") ?? "No")
    },
    ChoiceCollector.nodeType: { settings throws(JourneyTreeError) in
      ChoiceCollector(
        prompt: try settings.text("prompt") ?? "", choices: try settings.texts("choices") ?? [],
        defaultChoice: try settings.text("defaultChoice"))
    },
    RetryLimitDecision.nodeType: { settings throws(JourneyTreeError) in
      RetryLimitDecision(limit: try settings.integer("retryLimit") ?? 3)
    },
    PollingWait.nodeType: { settings throws(JourneyTreeError) in
      let exit = try settings.localizedText("exitMessage") ?? "Exit"
      return PollingWait(
        seconds: try settings.integer("secondsToWait") ?? 8,
        message: try settings.localizedText("waitingMessage") ?? "Waiting for response...",
        exitMessage: try settings.bool("exitable") == true ? exit : nil,
        detectsSpam: try settings.bool("spamDetectionEnabled") ?? false,
        toleratedSpam: try settings.integer("spamDetectionTolerance") ?? 3)
    },
    EmailSuspend.nodeType: { settings throws(JourneyTreeError) in
      guard let message = try settings.localizedText("emailSuspendMessage") else { return EmailSuspend() }
      return EmailSuspend(message: message)
    },
    DeviceBindingNode.nodeType: { settings throws(JourneyTreeError) in
      DeviceBindingNode(
        authenticationType: try settings.authenticationType("authenticationType") ?? .biometricAllowFallback,
        applicationIDs: try settings.applicationIDs(), prompt: try settings.prompt(),
        maxSavedDevices: try settings.integer("maxSavedDevices") ?? 0, timeout: try settings.integer("timeout") ?? 60,
        attestation: try settings.bool("attestation") ?? false,
        postponesStorage: try settings.bool("postponeDeviceProfileStorage") ?? false,
        clientErrorOutcomes: try settings.clientErrorOutcomes() ?? DeviceBindingNode.defaultClientErrorOutcomes)
    },
    DeviceBindingStorage.nodeType: { _ in DeviceBindingStorage() },
    DeviceSigningVerifierNode.nodeType: { settings throws(JourneyTreeError) in
      // With `challenge` off a value of the state is signed, which is no challenge.
      guard try settings.bool("challenge") ?? true else { return nil }
      return DeviceSigningVerifierNode(
        applicationIDs: try settings.applicationIDs(), prompt: try settings.prompt(),
        timeout: try settings.integer("timeout") ?? 60,
        reportsMissingDevices: settings.wiredOutcomes.contains(DeviceSigningVerifierNode.noDeviceRegistered.rawValue),
        clientErrorOutcomes: try settings.clientErrorOutcomes()
          ?? DeviceSigningVerifierNode.defaultClientErrorOutcomes)
    },
  ]
}

extension NodeSettings {
  fileprivate func applicationIDs() throws(JourneyTreeError) -> [String]? {
    guard let ids = try texts("applicationIds"), !ids.isEmpty else { return nil }
    return ids
  }

  fileprivate func prompt() throws(JourneyTreeError) -> DevicePrompt {
    var prompt = DevicePrompt()
    if let text = try localizedText("title") { prompt.title = text }
    if let text = try localizedText("subtitle") { prompt.subtitle = text }
    if let text = try localizedText("description") { prompt.description = text }
    return prompt
  }

  fileprivate func clientErrorOutcomes() throws(JourneyTreeError) -> [NodeOutcome]? {
    try texts("clientErrorOutcomes")?.map(NodeOutcome.init(rawValue:))
  }
}

/// Stands for a node this server does not have; the journey ends when it is reached.
struct UnimplementedNode: TreeNode {
  static let nodeType = ""
  let type: String
  let outcomes: [NodeOutcome]

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    context.services.log(.fault("\(context.journey) reached \(context.nodeID), a \(type), which is not implemented"))
    throw RESTFailure(status: 501, message: "The node type \(type) is not implemented by this server")
  }
}
