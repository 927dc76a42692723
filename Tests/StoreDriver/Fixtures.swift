import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite

/// Makes the store files that are checked in below `Tests/TestVectors/Data/stores`.
///
/// `StoreDriver fixtures FOLDER`. A file that was checked in is never made again: it stands for what an earlier release
/// wrote.
enum Fixtures {
  static let pin = "482913"

  static func make(in folder: String) async throws {
    let environment = AuthenticatorEnvironment(
      appIdentifier: "org.example.fixture", deviceName: "fixture", now: { UnixTime(milliseconds: 1_764_460_800_000) })
    func open(_ name: String) async throws -> SQLiteKeyStore {
      // The cheapest derivation that every store accepts.
      try await SQLiteKeyStore.open(
        path: "\(folder)/\(name)", environment: environment,
        options: .init(scryptParameters: ScryptParameters(logN: 15, r: 8, p: 1)))
    }
    func owner(_ account: String) -> KeyOwner {
      KeyOwner(instance: "https://am.example/am", family: .deviceBinding, party: "/alpha", account: Array(account.utf8))
    }
    func add(
      _ store: SQLiteKeyStore, _ type: AuthenticatorType, _ access: KeyAccess, state: EnrollmentState?,
      algorithm: SignatureAlgorithm = .es256, counter: CounterMode = .zero, ticket: VerificationTicket? = nil
    ) async throws {
      let account = "id=\(type),ou=user"
      let request = KeyRequest(
        owner: owner(account), algorithms: [algorithm], slot: "/alpha|\(account)", attributes: Array("fixture".utf8),
        counter: counter, secrets: [SecretName(rawValue: "hmac"): .likeTheRecord], journal: Array("challenge".utf8))
      let staged = try await store.stage(request, as: type, access: access, enrollmentState: state, ticket: ticket)
      try await store.commit(staged.tag, externalID: Array("kid-\(type)".utf8), details: Array(account.utf8))
    }
    let state = EnrollmentState(digest: [UInt8](repeating: 0xA5, count: 32))
    let biometric = KeyAccess.Gate.verified(VerificationMethod.biometrics)
    let either = KeyAccess.Gate.verified(VerificationMethod.biometrics.union([.passcode]))

    let store = try await open("schema-1.authstore")
    try await add(store, .none, KeyAccess(gate: .open), state: nil, counter: .rising)
    try await add(store, .biometricOnly, KeyAccess(gate: biometric, enrollment: .currentSet), state: state)
    try await add(
      store, .biometricAllowFallback, KeyAccess(gate: either, enrollment: .compared), state: state, algorithm: .es384)
    try await add(store, .devicePasscode, KeyAccess(gate: .verified([.passcode])), state: nil, algorithm: .edDSA)
    let domain = SecretDomain(rawValue: "pin/alice")
    let opened = try await store.create(domain, secret: DriverWorld.secret(pin))
    let ticket = VerificationTicket(
      verification: UserVerification(level: .verified, methods: [.applicationPIN], time: environment.now()),
      authorization: opened, operation: try OperationID(in: environment), expires: environment.uptime() + .seconds(60))
    try await add(store, .applicationPIN, KeyAccess(gate: .secret(domain)), state: nil, ticket: ticket)
    try await store.setItem(ItemName(owner: nil, name: "token"), to: Array("item".utf8))
    for record in try await store.records(matching: .everything) where record.counter == .rising {
      _ = try await store.advance(.key(record.tag))
    }

    let plain = try await open("no-domain-state.authstore")
    try await add(
      plain, .biometricAllowFallback, KeyAccess(gate: either, enrollment: .compared), state: nil)
    StoreDriver.say("ok fixtures")
  }
}
