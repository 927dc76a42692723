import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite

/// The names and costs that the driver and the tests agree on.
enum DriverWorld {
  static let instance = "https://am.example"
  static let domain = SecretDomain(rawValue: "pin/driver")

  static func environment() -> AuthenticatorEnvironment {
    AuthenticatorEnvironment(appIdentifier: nil, deviceName: "driver")
  }

  /// A derivation that costs next to nothing: these tests are about files.
  static func options() -> SQLiteKeyStore.Options {
    var options = SQLiteKeyStore.Options(scryptParameters: ScryptParameters(logN: 4, r: 8, p: 1))
    options.scryptBounds = ScryptBounds(minimumLogN: 1)
    return options
  }

  static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  static func stage(_ store: SQLiteKeyStore, slot: String?) async throws -> KeyRecord {
    let owner = KeyOwner(instance: instance, family: .deviceBinding, party: "/", account: Array("alice".utf8))
    return try await store.stage(
      KeyRequest(owner: owner, algorithms: [.es256], slot: slot, counter: .rising, journal: [1, 2, 3]), as: .none,
      access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
  }

  static func stageWrapped(_ store: SQLiteKeyStore, _ opened: KeyAuthorization) async throws -> KeyRecord {
    let environment = environment()
    let ticket = VerificationTicket(
      verification: UserVerification(level: .verified, methods: [.applicationPIN], time: environment.now()),
      authorization: opened, operation: try OperationID(in: environment), expires: environment.uptime() + .seconds(60))
    let owner = KeyOwner(instance: instance, family: .deviceBinding, party: "/", account: Array("pin user".utf8))
    return try await store.stage(
      KeyRequest(owner: owner, algorithms: [.es256]), as: .applicationPIN, access: KeyAccess(gate: .secret(domain)),
      enrollmentState: nil, ticket: ticket)
  }
}
