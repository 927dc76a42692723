/// The sizes a key store accepts; what exceeds them is refused as `invalidRequest`.
public enum StoreLimits {
  /// Bytes of one variable field: attributes, details, journal, item.
  public static let fieldBytes = 64 * 1024
  /// Bytes of a name or identity: instance, party, account, slot, external ID, domain.
  public static let nameBytes = 4096
  /// Extra secrets of a key.
  public static let secrets = 16
  /// Methods a gate may name.
  static let methods = 32
  /// Algorithms a request may list.
  public static let algorithms = 64
  /// Values of a counter that one durable write reserves.
  public static let counterBlock: UInt32 = 64
}
