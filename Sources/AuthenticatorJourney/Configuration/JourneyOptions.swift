/// The flags of one flow. They stay with the flow: two flows of one client never see each other's.
public struct JourneyOptions: Hashable, Sendable {
  /// Runs the whole journey even when a session satisfies it already. Sent with the start.
  public var forceAuth: Bool
  /// Authenticates without creating a session: success then carries no token, and a stored session stays as it is.
  /// Sent with every step.
  public var noSession: Bool
  /// What the journey's name means to the server; `service`, the default, names a tree.
  public var index: IndexType

  /// The server's `authIndexType`.
  public struct IndexType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A journey by its name.
    public static let service = IndexType(rawValue: "service")
    /// Whatever reaches an authentication level.
    public static let level = IndexType(rawValue: "level")
    /// The journey assigned to a user.
    public static let user = IndexType(rawValue: "user")
    /// An authentication module.
    public static let module = IndexType(rawValue: "module")
    /// The journey assigned to a role.
    public static let role = IndexType(rawValue: "role")
    /// What a resource's policy demands.
    public static let resource = IndexType(rawValue: "resource")
    /// A policy's advice as XML, for authorizing one transaction.
    public static let compositeAdvice = IndexType(rawValue: "composite_advice")
  }

  /// Makes options; none is set unless given.
  public init(forceAuth: Bool = false, noSession: Bool = false, index: IndexType = .service) {
    self.forceAuth = forceAuth
    self.noSession = noSession
    self.index = index
  }
}
