/// The keys that a caller has registered for one application.
public struct UAFRegistrations: Hashable, Sendable {
  /// One key.
  public struct Key: Hashable, Sendable {
    /// The model that holds it.
    public var aaid: AAID
    /// Its identifier.
    public var keyID: UAFKeyID
    /// Whether the server is known to have accepted it.
    public var isConfirmed: Bool
  }

  /// The application.
  public var appID: String
  /// Its keys, oldest first.
  public var keys: [Key]
}
