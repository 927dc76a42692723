/// A digest of the set of enrolled biometrics: equal as long as nothing was enrolled or removed.
///
/// Opaque: compare, store, never interpret. It is local metadata and never a claim in a proof.
public struct EnrollmentState: Hashable, Sendable {
  /// 1 to 64 bytes.
  public let digest: [UInt8]
  /// Takes a digest.
  public init(digest: [UInt8]) { self.digest = digest }
}
