import AuthenticatorUAF

/// With what the UAF callbacks of a journey work.
public struct UAFJourneyConfiguration: Sendable {
  /// The client that answers. Its keys are those of any other use of it with the same facet.
  public var client: UAFClient
  /// Who calls; must be among the facets that the server trusts.
  public var facetID: String
  /// What is known of the connection to the server.
  public var channelBinding: ChannelBinding
  /// What the app passes along, such as a fallback button.
  public var extras: UAFExtras

  /// Makes a configuration.
  /// - Parameter facetID: nil: that of the app identifier in the client's environment, `linux:exe:` before it.
  public init(
    client: UAFClient, facetID: String? = nil, channelBinding: ChannelBinding = ChannelBinding(),
    extras: UAFExtras = UAFExtras()
  ) {
    self.client = client
    self.facetID =
      facetID ?? "linux:exe:\(client.configuration.context.environment.appIdentifier ?? "unnamed")"
    self.channelBinding = channelBinding
    self.extras = extras
  }
}
