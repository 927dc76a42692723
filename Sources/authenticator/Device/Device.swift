import AuthenticatorCore
import AuthenticatorSQLite
import AuthenticatorTrustedDevice
import DeviceAuthenticators

/// The device that the options describe: who is in front of it, and its authenticators.
struct Device: Sendable {
  let person: Person
  let options: DeviceOptions
  let store: DeviceStore

  init(_ options: DeviceOptions, console: Console) throws {
    self.options = options
    person = try Person.inFront(
      of: options,
      environment: ToolEnvironment.make(
        appIdentifier: options.appIdentifier, deviceName: options.deviceName, console: console))
    store = DeviceStore(path: options.storePath, environment: person.environment)
  }

  /// The device with its key store; nil when there is no store.
  func withKeys() async throws -> KeyHolder? {
    try await store.existing().map { KeyHolder(device: self, store: $0) }
  }

  /// The device with its key store, which is made when it is not there.
  func makingStore() async throws -> KeyHolder {
    KeyHolder(device: self, store: try await store.opened())
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

  /// What tells the keys of an earlier installation from this one's; nil: nothing does.
  var installationMarkers: (any InstallationMarkers)? {
    options.installationFolder.map { FolderInstallationMarkers(folder: $0) }
  }

  /// What enrolls and uses trusted devices: the shipped authenticators, by policy. One that was named and that cannot
  /// guard a trusted device is handed over all the same, and refused with its reason.
  var trustedDevices: TrustedDeviceAuthenticators {
    var authenticators = TrustedDeviceAuthenticators(
      BiometricAuthenticatorConfig(
        allowsSoftwareKeys: options.allowsSoftwareKeys, contextDelegate: person.contextDelegate))
    if let named = options.authenticator, named == .devicePasscode || named == .applicationPIN {
      let factories = factories
      authenticators.enrolling = { _, context in try await factories.make(named, context) }
      // Nor does it open a key that others guard.
      authenticators.signing = AuthenticatorFactories()
    }
    if options.authenticator == .biometricOnly {
      let signing = authenticators.signing
      authenticators.signing = AuthenticatorFactories([
        .biometricOnly: { context in try await signing.make(.biometricOnly, context) }
      ])
    }
    return authenticators
  }
}

/// A device and its opened key store.
struct KeyHolder: Sendable {
  let device: Device
  let store: SQLiteKeyStore

  /// What authenticators work with, for the keys of one server.
  func context(instance: String) -> AuthenticatorContext {
    AuthenticatorContext(
      instance: instance, keyStore: store, verifier: device.person.verifier, environment: device.person.environment)
  }

  /// What would become of a key that is used now. Silent.
  func health(of record: KeyRecord) async -> KeyHealthReport {
    do {
      let context = context(instance: record.owner.instance)
      let authenticator = try await device.factories.make(record.authenticator, context)
      return await authenticator.health(of: record)
    } catch {
      return KeyHealthReport(.unknown, protection: record.protection)
    }
  }

  /// Whether the key stands aside, so that its server may have no record of it: replaced, or never accepted.
  func hasOpenFate(_ tag: KeyTag) async throws -> Bool {
    guard try await !store.damagedTags().contains(tag), let record = try await store.record(tag) else { return false }
    return record.state != .active
  }

  /// Whether the store has a row of this name, readable or not.
  func holds(_ tag: KeyTag) async throws -> Bool {
    if try await store.damagedTags().contains(tag) { return true }
    return try await store.record(tag) != nil
  }
}
