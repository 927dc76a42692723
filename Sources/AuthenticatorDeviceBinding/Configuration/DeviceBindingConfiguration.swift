import AuthenticatorCoding
import AuthenticatorCore

/// With what the binding and signing callbacks work. A value; pass it to `bind` and `sign`.
///
/// Needed: `context.environment.appIdentifier`, which becomes the proof's `iss` and must be among the application IDs
/// of the server's node; without it both refuse as `unsupported`.
public struct DeviceBindingConfiguration: Sendable {
  /// Key store, verifier and environment. Its `instance` must be the journey's.
  public var context: AuthenticatorContext
  /// Makes the authenticators, for binding by the server's word, for signing by the key's own type.
  public var factories: AuthenticatorFactories
  /// Which authenticator answers which word.
  public var types: WireAuthenticationTable
  /// What the person reads; nil: the server's texts.
  public var prompt: Prompt?
  /// What the server lists the device as; nil: the environment's device name.
  public var deviceName: String?
  /// A time limit of the app's own, for one bind or sign with its prompts; the shorter of it and the server's holds.
  public var timeLimit: Duration?
  /// The `platform` claim of a binding proof.
  public var platform: String
  /// Claims of the app for signing proofs. Names the proof itself needs are refused as `invalidCustomClaims`.
  public var customClaims: JSONObject
  /// Chooses among the keys of several users when the server names none; nil: then nobody is signed in.
  public var keySelector: (any UserKeySelector)?
  /// Attests new keys; nil: a server that asks for attestation is answered `Unsupported`.
  public var attestor: (any BindingKeyAttestor)?

  /// Makes a configuration.
  public init(
    context: AuthenticatorContext, factories: AuthenticatorFactories,
    types: WireAuthenticationTable = .standard, prompt: Prompt? = nil, deviceName: String? = nil,
    platform: String = DeviceBindingConfiguration.ownPlatform, customClaims: JSONObject = JSONObject(),
    keySelector: (any UserKeySelector)? = nil, attestor: (any BindingKeyAttestor)? = nil,
    timeLimit: Duration? = nil
  ) {
    self.context = context
    self.factories = factories
    self.types = types
    self.prompt = prompt
    self.deviceName = deviceName
    self.platform = platform
    self.customClaims = customClaims
    self.keySelector = keySelector
    self.attestor = attestor
    self.timeLimit = timeLimit
  }

  /// `ios` on iOS, `macos` on macOS, `linux` elsewhere.
  public static let ownPlatform: String = {
    #if os(iOS)
      "ios"
    #elseif os(macOS)
      "macos"
    #else
      "linux"
    #endif
  }()
}

/// Attests keys that were just made, as PingAM wants it: a certificate chain in the binding proof's `jwk.x5c`.
///
/// Conform to it where the platform makes such chains (Android key attestation, or one of your own that the server
/// judges).
public protocol BindingKeyAttestor: Sendable {
  /// Whether keys of this authenticator can be attested. Silent; asked before a key is made.
  func canAttest(_ type: AuthenticatorType) async -> Bool

  /// DER certificates, the key's own first, over the server's challenge as received.
  func certificates(for key: SigningKey, challenge: String) async throws -> [[UInt8]]
}
