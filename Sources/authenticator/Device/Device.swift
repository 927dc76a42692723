import AuthenticatorCore
import AuthenticatorSQLite
import DeviceAuthenticators

/// The device that the options describe, ready for ceremonies: key store, person, authenticators.
struct Device: Sendable {
  let store: SQLiteKeyStore
  let person: Person
  let options: DeviceOptions

  /// Opens it; a store that is not there is made.
  static func open(_ options: DeviceOptions, console: Console) async throws -> Device {
    let person = try person(options, console)
    let store = try await SQLiteKeyStore.open(path: options.storePath, environment: person.environment)
    return Device(store: store, person: person, options: options)
  }

  /// Opens it; nil when there is no store.
  static func openIfPresent(_ options: DeviceOptions, console: Console) async throws -> Device? {
    let person = try person(options, console)
    let store = try await SQLiteKeyStore.openIfPresent(path: options.storePath, environment: person.environment)
    return store.map { Device(store: $0, person: person, options: options) }
  }

  private static func person(_ options: DeviceOptions, _ console: Console) throws -> Person {
    let environment = ToolEnvironment.make(
      appIdentifier: options.appIdentifier, deviceName: options.deviceName, console: console)
    return try Person.inFront(of: options, environment: environment)
  }

  /// What authenticators work with, for the keys of one server.
  func context(instance: String) -> AuthenticatorContext {
    AuthenticatorContext(
      instance: instance, keyStore: store, verifier: person.verifier, environment: person.environment)
  }

  /// The shipped authenticators, configured as the options say.
  var factories: AuthenticatorFactories {
    let biometric = BiometricAuthenticatorConfig(
      allowsSoftwareKeys: options.allowsSoftwareKeys, contextDelegate: person.contextDelegate)
    return .defaults(
      biometricOnly: biometric, biometricAllowFallback: biometric,
      devicePasscode: DevicePasscodeConfig(allowsSoftwareKeys: options.allowsSoftwareKeys),
      applicationPIN: ApplicationPINConfig(pinCollector: person.collector))
  }

  /// What would become of a key that is used now. Silent.
  func health(of record: KeyRecord) async -> KeyHealth {
    do {
      let authenticator = try await factories.make(record.authenticator, context(instance: record.owner.instance))
      return await authenticator.health(of: record)
    } catch {
      return .unknown
    }
  }
}
