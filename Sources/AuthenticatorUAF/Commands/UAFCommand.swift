/// What an ASM sends to an authenticator beneath it (FIDO UAF Authenticator Commands), as bytes: for authenticators
/// that are reached over a wire. The built-in ones are reached within the process.
///
/// OpenSettings has tags here and no form: what it carries is the authenticator's own.
public enum UAFCommand: Hashable, Sendable {
  /// What authenticators there are.
  case getInfo
  /// Make a key.
  case register(Register)
  /// Sign with a key.
  case sign(Sign)
  /// Forget keys.
  case deregister(Deregister)

  /// Which command an answer is to.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// Answers to `UAFCommand.getInfo`.
    case getInfo
    /// Answers to `UAFCommand.register(_:)`.
    case register
    /// Answers to `UAFCommand.sign(_:)`.
    case sign
    /// Answers to `UAFCommand.deregister(_:)`.
    case deregister
  }

  /// The parameters of Register. Descriptions tell nothing of them.
  public struct Register: Hashable, Sendable {
    /// Which authenticator.
    public var authenticatorIndex: UInt8
    /// For authenticators that show it.
    public var appID: String?
    /// SHA-256 of the final challenge parameters.
    public var finalChallengeHash: [UInt8]
    /// The account's name, 1 to 128 bytes of UTF-8.
    public var username: String
    /// How the key is attested.
    public var attestationType: UAFAttestationType
    /// What the new key handle is bound to.
    public var accessToken: [UInt8]
    /// Proof of a verification that has taken place.
    public var verificationToken: [UInt8]?

    /// See the properties.
    public init(
      authenticatorIndex: UInt8, appID: String? = nil, finalChallengeHash: [UInt8], username: String,
      attestationType: UAFAttestationType, accessToken: [UInt8], verificationToken: [UInt8]? = nil
    ) {
      self.authenticatorIndex = authenticatorIndex
      self.appID = appID
      self.finalChallengeHash = finalChallengeHash
      self.username = username
      self.attestationType = attestationType
      self.accessToken = accessToken
      self.verificationToken = verificationToken
    }
  }

  /// What is to be confirmed.
  public enum Transaction: Hashable, Sendable {
    /// The content itself, decoded, for an authenticator that shows it.
    case content([UInt8])
    /// Its hash, where the ASM has shown it.
    case hash([UInt8])
  }

  /// The parameters of Sign. Descriptions tell nothing of them.
  public struct Sign: Hashable, Sendable {
    /// Which authenticator.
    public var authenticatorIndex: UInt8
    /// For authenticators that show it.
    public var appID: String?
    /// SHA-256 of the final challenge parameters.
    public var finalChallengeHash: [UInt8]
    /// What is to be confirmed; nil: nothing.
    public var transaction: Transaction?
    /// What the key handle must be bound to.
    public var accessToken: [UInt8]
    /// Proof of a verification that has taken place.
    public var verificationToken: [UInt8]?
    /// The keys in question; empty for authenticators that keep them themselves.
    public var keyHandles: [[UInt8]]

    /// See the properties.
    public init(
      authenticatorIndex: UInt8, appID: String? = nil, finalChallengeHash: [UInt8], transaction: Transaction? = nil,
      accessToken: [UInt8], verificationToken: [UInt8]? = nil, keyHandles: [[UInt8]] = []
    ) {
      self.authenticatorIndex = authenticatorIndex
      self.appID = appID
      self.finalChallengeHash = finalChallengeHash
      self.transaction = transaction
      self.accessToken = accessToken
      self.verificationToken = verificationToken
      self.keyHandles = keyHandles
    }
  }

  /// The parameters of Deregister. Descriptions tell nothing of them.
  public struct Deregister: Hashable, Sendable {
    /// Which authenticator.
    public var authenticatorIndex: UInt8
    /// For authenticators that show it.
    public var appID: String?
    /// The key; nil: all keys that are bound to the token.
    public var keyID: UAFKeyID?
    /// What the keys must be bound to.
    public var accessToken: [UInt8]

    /// See the properties.
    public init(authenticatorIndex: UInt8, appID: String? = nil, keyID: UAFKeyID?, accessToken: [UInt8]) {
      self.authenticatorIndex = authenticatorIndex
      self.appID = appID
      self.keyID = keyID
      self.accessToken = accessToken
    }
  }

  /// Which command it is.
  public var kind: Kind {
    switch self {
    case .getInfo: .getInfo
    case .register: .register
    case .sign: .sign
    case .deregister: .deregister
    }
  }
}

// Access tokens, key handles and names are nobody's to read in a log.

extension UAFCommand.Register: CustomStringConvertible, CustomReflectable {
  public var description: String { "Register(authenticator \(authenticatorIndex))" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UAFCommand.Sign: CustomStringConvertible, CustomReflectable {
  public var description: String { "Sign(authenticator \(authenticatorIndex))" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UAFCommand.Deregister: CustomStringConvertible, CustomReflectable {
  public var description: String { "Deregister(authenticator \(authenticatorIndex))" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
