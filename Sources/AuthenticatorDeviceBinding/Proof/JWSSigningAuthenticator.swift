import AuthenticatorCoding
import AuthenticatorCore

/// An authenticator that has a say in the proofs its keys sign.
///
/// Every `DeviceAuthenticator` can bind and sign without it. Adopt it in a subclass to change one thing; every
/// requirement has a default. An override of `sign(params:journey:)` usually checks something and then returns
/// `standardProof(_:)`.
public protocol JWSSigningAuthenticator: DeviceAuthenticator {
  /// The binding proof: a compact JWS.
  func sign(params: SigningParameters, journey: JourneyContext?) async throws -> String

  /// The signing proof: a compact JWS.
  func sign(params: UserKeySigningParameters, journey: JourneyContext?) async throws -> String

  /// `iat` on this device's clock, asked for after the person was verified; the measured offset of the server's clock
  /// is added to it.
  func issueTime() -> UnixTime

  /// `nbf` on this device's clock; the same offset is added.
  func notBeforeTime() -> UnixTime

  /// Whether the app's claims may be signed. The default refuses the names a proof needs: `sub`, `exp`, `iat`, `nbf`,
  /// `iss`, `challenge`.
  func validateCustomClaims(_ claims: JSONObject) async -> Bool
}

extension JWSSigningAuthenticator {
  public func sign(params: SigningParameters, journey: JourneyContext?) async throws -> String {
    try await standardProof(params)
  }

  public func sign(params: UserKeySigningParameters, journey: JourneyContext?) async throws -> String {
    try await standardProof(params)
  }

  public func issueTime() -> UnixTime { context.environment.now() }

  public func notBeforeTime() -> UnixTime { issueTime().advanced(by: .zero - ProofClock.allowance) }

  public func validateCustomClaims(_ claims: JSONObject) async -> Bool { ReservedClaims.first(in: claims) == nil }

  /// The proof as it is without an override.
  public func standardProof(_ params: SigningParameters) async throws -> String {
    try await ProofWriter.proof(params)
  }

  /// The proof as it is without an override.
  public func standardProof(_ params: UserKeySigningParameters) async throws -> String {
    try await ProofWriter.proof(params)
  }
}

/// The names that only the proof itself may use.
public enum ReservedClaims {
  /// In the case they are written in; other spellings are free.
  public static let names: Set<String> = ["sub", "exp", "iat", "nbf", "iss", "challenge"]

  /// The first reserved name among an app's claims; nil: there is none.
  public static func first(in claims: JSONObject) -> String? {
    // Compared as bytes: Swift takes different compositions of a character for the same text.
    claims.names.first { name in names.contains { $0.isIdentical(to: name) } }
  }
}

/// Any authenticator as one that signs proofs: its own overrides where it has them, the defaults elsewhere.
struct ProofSigner {
  private let own: (any JWSSigningAuthenticator)?
  private let environment: AuthenticatorEnvironment

  init(_ authenticator: any DeviceAuthenticator) {
    own = authenticator as? any JWSSigningAuthenticator
    environment = authenticator.context.environment
  }

  func proof(_ params: SigningParameters, journey: JourneyContext) async throws -> String {
    if let own { return try await own.sign(params: params, journey: journey) }
    return try await ProofWriter.proof(params)
  }

  func proof(_ params: UserKeySigningParameters, journey: JourneyContext) async throws -> String {
    if let own { return try await own.sign(params: params, journey: journey) }
    return try await ProofWriter.proof(params)
  }

  func issueTime() -> UnixTime { own?.issueTime() ?? environment.now() }

  func notBeforeTime() -> UnixTime {
    own?.notBeforeTime() ?? environment.now().advanced(by: .zero - ProofClock.allowance)
  }

  func admits(_ claims: JSONObject) async -> Bool {
    if let own { return await own.validateCustomClaims(claims) }
    return ReservedClaims.first(in: claims) == nil
  }
}
