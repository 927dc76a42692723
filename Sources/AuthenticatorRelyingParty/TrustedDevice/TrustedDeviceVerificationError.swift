/// Why a trusted device's key or signature was refused. Names the check that failed and never the content that failed
/// it.
public struct TrustedDeviceVerificationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The check that failed.
  public enum Check: String, Hashable, Sendable, CaseIterable {
    /// The key is no JSON object of the agreed members, holds a private part, or is no point of P-256.
    case publicKey
    /// The algorithm is not ES256.
    case algorithm
    /// The signature is not the base64url form of two numbers of 32 bytes in the group's range.
    case signatureForm
    /// The signature is not one of these bytes by this key.
    case signature
  }

  /// The check that failed.
  public let check: Check

  /// Makes an error.
  public init(_ check: Check) { self.check = check }

  public var description: String { "the trusted device's \(check.rawValue) was refused" }
}
