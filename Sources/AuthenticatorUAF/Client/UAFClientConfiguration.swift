import AuthenticatorCore
import DeviceAuthenticators

/// What an app plugs into a UAF client.
public struct UAFClientConfiguration: Sendable {
  /// Storage, verification, clock and randomness. Its `instance` names the server whose keys these are.
  public var context: AuthenticatorContext
  /// The authenticators of this device; each AAID once.
  public var authenticators: [UAFAuthenticatorModel]
  /// What makes and opens their keys.
  public var devices: UAFDeviceAuthenticators
  /// Fetches lists of trusted facets; nil: an app ID must be the caller's own facet or on its host.
  public var transport: (any HTTPTransport)?
  /// What belongs together among domain names; by default only equal hosts.
  public var domainRules: FacetDomainRules
  /// Asks for choices, and shows transactions in text; nil: where a choice or an approval is needed, the operation
  /// ends as `notInteractive`.
  public var responder: (any PromptResponder)?
  /// Shows transactions; nil: the responder does, text only.
  public var display: (any UAFTransactionDisplay)?
  /// Whether the app's own views of authentications (`UAFAuthenticationView`) draw pictures. Servers are told of
  /// pictures when these or the display can show them.
  public var viewDisplaysImages: Bool
  /// Names the person's account on this machine; part of what keys are bound to.
  public var personaID: String
  /// How long an operation may take.
  public var timeout: Duration
  /// Whether the person chooses where the server's policy admits several authenticators; otherwise the server's order
  /// decides.
  public var asksForAuthenticator: Bool
  /// Whether criteria without `aaid` must name algorithms and schemes, as UAF 1.1 says.
  public var isStrictAboutCriteria: Bool
  /// What the person reads.
  public var texts: UAFTexts

  /// See the properties.
  /// - Parameter timeout: nil: two minutes.
  public init(
    context: AuthenticatorContext, authenticators: [UAFAuthenticatorModel],
    devices: UAFDeviceAuthenticators = UAFDeviceAuthenticators(), transport: (any HTTPTransport)? = nil,
    domainRules: FacetDomainRules = .sameHost, responder: (any PromptResponder)? = nil,
    display: (any UAFTransactionDisplay)? = nil, viewDisplaysImages: Bool = false, personaID: String = "local",
    timeout: Duration? = nil,
    asksForAuthenticator: Bool = false, isStrictAboutCriteria: Bool = false, texts: UAFTexts = UAFTexts()
  ) {
    self.context = context
    self.authenticators = authenticators
    self.devices = devices
    self.transport = transport
    self.domainRules = domainRules
    self.responder = responder
    self.display = display
    self.viewDisplaysImages = viewDisplaysImages
    self.personaID = personaID
    self.timeout = timeout ?? UAFLimits.operationTime
    self.asksForAuthenticator = asksForAuthenticator
    self.isStrictAboutCriteria = isStrictAboutCriteria
    self.texts = texts
  }
}

/// The sentences of prompts.
public struct UAFTexts: Hashable, Sendable {
  /// Why verification is asked for when a key is made.
  public var registration: String
  /// Why it is asked for when a key signs.
  public var authentication: String
  /// Why it is asked for when a transaction was approved.
  public var transaction: String
  /// Above the names to choose from.
  public var chooseUser: String
  /// Above the authenticators to choose from.
  public var chooseAuthenticator: String
  /// Above the authenticators offered after one did not recognize the person.
  public var alternative: String
  /// The cancel button; nil leaves it to the platform.
  public var cancelTitle: String?

  /// English, unless said otherwise.
  public init(
    registration: String = "Register this device", authentication: String = "Sign in",
    transaction: String = "Confirm the transaction", chooseUser: String = "Choose an account",
    chooseAuthenticator: String = "Choose how to sign in",
    alternative: String = "That did not work. Choose how to go on", cancelTitle: String? = nil
  ) {
    self.registration = registration
    self.authentication = authentication
    self.transaction = transaction
    self.chooseUser = chooseUser
    self.chooseAuthenticator = chooseAuthenticator
    self.alternative = alternative
    self.cancelTitle = cancelTitle
  }
}
