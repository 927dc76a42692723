/// What a CBOR item may cost.
public struct CBORLimits: Hashable, Sendable {
  /// The greatest length of the input in bytes.
  public var bytes: Int
  /// How many arrays and maps may be open at once; at most 64, whatever is asked.
  public var depth: Int

  /// Limits; `bytes` is 64 KiB unless said otherwise.
  public init(bytes: Int = 65_536, depth: Int) {
    self.bytes = bytes
    self.depth = depth
  }

  /// A CTAP2 message: four levels (CTAP 2.1 section 8), 64 KiB.
  public static let message = CBORLimits(depth: 4)
  /// An attestation object: eight levels, 64 KiB.
  public static let attestationObject = CBORLimits(depth: 8)

  /// The depth that holds: recursion over a value (comparing, freeing) stays small.
  var effectiveDepth: Int { min(depth, 64) }
}
