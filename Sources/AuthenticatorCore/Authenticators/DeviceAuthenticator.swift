/// Verifies the person and keeps the keys; any protocol can be spoken on top of it.
///
/// It alone writes a key's access rule. It is not `Sendable`, so an app's subclass may hold plain state; its
/// requirements run on the caller's actor. Most apps subclass `DefaultDeviceAuthenticator` instead of conforming.
public protocol DeviceAuthenticator {
  /// The store, verifier and environment that ceremonies work with.
  var context: AuthenticatorContext { get }

  /// What its keys' records say; at use, it picks this authenticator again.
  func type() -> AuthenticatorType

  /// What it could do now. Silent.
  func availability() async -> AuthenticatorAvailability

  /// Whether it may be used for a new key. Silent. False without hardware protection unless software keys are
  /// allowed by name.
  func isSupported(attestation: Attestation) async -> Bool

  /// Verifies the person without a key: consent, exclude lists, user-verification tokens.
  func verify(_ request: VerificationRequest) async throws -> VerificationTicket

  /// Makes a staged key. Prompts only if sealing needs a PIN, or a locked sensor hides the enrolled set, and no
  /// ticket was given; what was verified then is handed on in `StagedKey.ticket`.
  func register(_ request: RegistrationRequest) async throws -> StagedKey

  /// Verifies the person as the key's access rule and the request's level demand, and opens the key for one use.
  func authenticate(_ request: SigningRequest) async throws -> SigningKey

  /// What would become of `authenticate`. Silent.
  func health(of record: KeyRecord) async -> KeyHealthReport

  /// Deletes this type's keys, of this instance, in this store.
  func deleteKeys() async throws
}

/// What an authenticator could do now.
public enum AuthenticatorAvailability: Hashable, Sendable {
  /// It can reach this level.
  case available(VerificationLevel)
  /// It cannot, and why.
  case unavailable(AuthenticatorError.Code)
  /// It cannot tell.
  case unknown(AuthenticatorError.Code)
}

/// Whether the server wants the key attested, and with which challenge.
public enum Attestation: Hashable, Sendable {
  /// No attestation is asked for.
  case none
  /// The key must be attested over this challenge, as the server sent it.
  case challenge(String)
}

/// What is known of a key without asking anybody.
public struct KeyHealthReport: Hashable, Sendable {
  /// What it is worth now.
  public let state: KeyHealth
  /// How it is held, or was while it was there.
  public let protection: KeyProtection

  /// Makes a report.
  public init(_ state: KeyHealth, protection: KeyProtection) {
    self.state = state
    self.protection = protection
  }
}

/// What a key is worth now.
public enum KeyHealth: String, Hashable, Sendable {
  /// It would sign, after the verification its access rule demands.
  case usable
  /// The enrolled set differs from the one the key was made under, or did when somebody tried to use the key.
  case changed
  /// No key material, or no record.
  case gone
  /// The sensor or PIN that opens it is locked; a wait or the passcode helps.
  case lockedOut
  /// Cannot tell.
  case unknown
  /// The record was altered or cannot be read.
  case damaged
}
