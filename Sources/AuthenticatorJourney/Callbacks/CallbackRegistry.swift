import AuthenticatorCoding
import AuthenticatorCore

/// Which class stands for which callback type. A value: fill one, pass it to the `Journey`, and it never changes
/// under a running flow.
public struct CallbackRegistry: Sendable {
  /// Makes a callback; nil: not mine after all, ask the next one.
  public typealias Factory = @Sendable (CallbackPayload) throws -> Callback?

  private var factories: [String: Factory] = [:]
  private var specializations: [String: [Factory]] = [:]

  /// Knows nothing: every callback becomes an `UnknownCallback`.
  public init() {}

  /// Adds or replaces the class of a type.
  public mutating func register<Class: Callback>(_ callback: Class.Type) {
    factories[Class.wireType] = { try callback.init($0) }
  }

  /// Adds a class that is recognized by content among callbacks of `type` (WebAuthn options inside a
  /// `MetadataCallback`). Asked in the order of registration, before the type's own class.
  public mutating func specialize(_ type: String, using factory: @escaping Factory) {
    specializations[type, default: []].append(factory)
  }

  /// A copy with one more class.
  public func registering<Class: Callback>(_ callback: Class.Type) -> CallbackRegistry {
    var copy = self
    copy.register(callback)
    return copy
  }

  /// The callback for a payload: a specialization, the type's class, or an `UnknownCallback`.
  /// - Throws: `invalidMessage` when the class misses a mandatory field.
  public func make(_ payload: CallbackPayload) throws -> Callback {
    for factory in specializations[payload.type] ?? [] {
      if let callback = try factory(payload) { return callback }
    }
    if let callback = try factories[payload.type]?(payload) { return callback }
    return try UnknownCallback(payload)
  }

  /// The types this module knows.
  public static let standard: CallbackRegistry = {
    var registry = CallbackRegistry()
    registry.register(NameCallback.self)
    registry.register(PasswordCallback.self)
    registry.register(TextInputCallback.self)
    registry.register(TextOutputCallback.self)
    registry.register(SuspendedTextOutputCallback.self)
    registry.register(ChoiceCallback.self)
    registry.register(ConfirmationCallback.self)
    registry.register(HiddenValueCallback.self)
    registry.register(MetadataCallback.self)
    registry.register(PollingWaitCallback.self)
    return registry
  }()
}

/// A callback of a type nobody registered. It keeps its place and is echoed; an app may still read its outputs and
/// answer its inputs.
public final class UnknownCallback: Callback {}
