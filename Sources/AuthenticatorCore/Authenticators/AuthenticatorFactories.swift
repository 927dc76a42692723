/// Makes the authenticator of a type: at use, the record's type chooses the authenticator, its access rule the
/// behavior. A value that the app fills and passes on; there is no global table.
public struct AuthenticatorFactories: Sendable {
  /// Makes one authenticator for one ceremony; may throw, for example when a back end is not there.
  public typealias Factory = @Sendable (AuthenticatorContext) async throws -> any DeviceAuthenticator

  private var factories: [AuthenticatorType: Factory]

  /// Makes a table from factories by type.
  public init(_ factories: [AuthenticatorType: Factory] = [:]) { self.factories = factories }

  /// Adds or replaces the factory of a type.
  public mutating func register(_ type: AuthenticatorType, _ factory: @escaping Factory) { factories[type] = factory }

  /// The types that have a factory.
  public var types: Set<AuthenticatorType> { Set(factories.keys) }

  /// Whether a type has a factory.
  package func hasFactory(for type: AuthenticatorType) -> Bool { factories[type] != nil }

  /// A fresh authenticator for one ceremony.
  /// - Throws: `unsupported` for a type without factory.
  public func make(_ type: AuthenticatorType, _ context: AuthenticatorContext) async throws -> any DeviceAuthenticator {
    guard let factory = factories[type] else {
      throw AuthenticatorError(.unsupported, stage: "factory", reason: "no factory for authenticator type \(type)")
    }
    return try await factory(context)
  }
}
