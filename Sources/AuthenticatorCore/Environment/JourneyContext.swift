/// What an authenticator may know of the flow it signs in: enough for an override to decide, nothing secret.
public struct JourneyContext: Hashable, Sendable {
  /// The server's base URL without trailing slash; the `instance` of every key made in this flow.
  public var instance: String
  /// The realm as a path: `/`, `/alpha`.
  public var realm: String
  /// The journey's name; nil when a link resumed it.
  public var journey: String?

  /// Makes a context.
  public init(instance: String, realm: String, journey: String?) {
    self.instance = instance
    self.realm = realm
    self.journey = journey
  }
}
