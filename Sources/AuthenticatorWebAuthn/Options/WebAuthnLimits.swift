/// The bounds of what this module reads from a relying party. Sizes in bytes.
public enum WebAuthnLimits {
  /// The longest challenge.
  public static let challengeBytes = 8192
  /// The most entries of any list in options or responses.
  public static let listEntries = 1024
  /// The longest user handle.
  public static let userHandleBytes = 64
  /// How much of a name is stored.
  public static let nameBytes = 64
}
