import AuthenticatorCore

/// The word by which PingAM asks for a kind of authenticator (`authenticationType`). Open.
public struct WireAuthenticationType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The word on the wire.
  public let rawValue: String
  /// Takes a word as received.
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// Biometrics, and nothing instead of them.
  public static let biometricOnly = WireAuthenticationType(rawValue: "BIOMETRIC_ONLY")
  /// Biometrics, or the device passcode.
  public static let biometricAllowFallback = WireAuthenticationType(rawValue: "BIOMETRIC_ALLOW_FALLBACK")
  /// A PIN that belongs to the app.
  public static let applicationPIN = WireAuthenticationType(rawValue: "APPLICATION_PIN")
  /// Possession of the device.
  public static let none = WireAuthenticationType(rawValue: "NONE")
}

/// Which authenticator answers which of the server's words: the one table of that kind.
///
/// A word without entry is refused as `unsupported`, never answered with less. PingAM has no word for the device
/// passcode; an app that wants it puts `.devicePasscode` behind a word of its choice.
public struct WireAuthenticationTable: Sendable {
  private var types: [WireAuthenticationType: AuthenticatorType]

  /// The four words with their own authenticators.
  public static let standard = WireAuthenticationTable([
    .biometricOnly: .biometricOnly, .biometricAllowFallback: .biometricAllowFallback,
    .applicationPIN: .applicationPIN, .none: .none,
  ])

  /// Makes a table.
  public init(_ types: [WireAuthenticationType: AuthenticatorType]) { self.types = types }

  /// The authenticator for a word; nil: refused. Setting nil refuses it from then on.
  public subscript(word: WireAuthenticationType) -> AuthenticatorType? {
    get { types[word] }
    set { types[word] = newValue }
  }
}
