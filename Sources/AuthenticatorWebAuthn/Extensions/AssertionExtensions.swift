internal import AuthenticatorCBOR
internal import AuthenticatorCrypto

/// What extensions ask of an assertion.
public struct AssertionExtensions: Sendable {
  /// What is to be done with a credential's large blob.
  public enum LargeBlob: Hashable, Sendable {
    /// Gives out what is stored.
    case read
    /// Stores these bytes in its place.
    case write([UInt8])
  }

  /// `hmac-secret` and `prf`; nil: not asked.
  public var hmacSecret: HMACSecretEvaluation?
  /// `credBlob`.
  public var requestsBlob: Bool
  /// `largeBlob`; nil: not asked.
  public var largeBlob: LargeBlob?
  /// `uvm`.
  public var requestsVerificationMethods: Bool

  /// Asks for nothing unless told.
  public init(
    hmacSecret: HMACSecretEvaluation? = nil, requestsBlob: Bool = false, largeBlob: LargeBlob? = nil,
    requestsVerificationMethods: Bool = false
  ) {
    self.hmacSecret = hmacSecret
    self.requestsBlob = requestsBlob
    self.largeBlob = largeBlob
    self.requestsVerificationMethods = requestsVerificationMethods
  }

  var isEmpty: Bool { hmacSecret == nil && !requestsBlob && largeBlob == nil && !requestsVerificationMethods }
}

/// What became of the extensions of an assertion, beside what is signed.
public struct AssertionExtensionResults: Sendable {
  /// The secrets asked for, unless they were sealed into the signed data; nil when none could be derived.
  public var hmacSecret: HMACSecretOutputs?
  /// The credential's blob, empty when it has none; nil unless asked for.
  public var blob: [UInt8]?
  /// The large blob; nil when there is none, it cannot be read, or reading was not asked for.
  public var largeBlob: [UInt8]?
  /// Whether the large blob was written; nil unless that was asked for.
  public var isLargeBlobWritten: Bool?
  /// Nil unless asked for.
  public var verificationMethods: [UserVerificationMethodEntry]?
}
