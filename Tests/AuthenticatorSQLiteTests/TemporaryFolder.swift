import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite
import CSQLite
import Foundation
import Synchronization

/// A folder of its own for one test; gone with the last reference.
final class TemporaryFolder: Sendable {
  let path: String
  var store: String { path + "/keys.authstore" }

  init() throws {
    // In memory where that can be had: these tests write much and are not about the disk.
    let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : NSTemporaryDirectory()
    var template = Array((root + "authstore.XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The bytes of a file below the folder.
  func bytes(_ name: String = "keys.authstore") throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }

  func write(_ bytes: [UInt8], _ name: String = "keys.authstore") throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
  }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  /// The permission bits of a path.
  static func mode(_ path: String) throws -> mode_t {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return status.st_mode & 0o7777
  }
}

/// The tests' way of opening stores.
enum TestStore {
  static func environment(_ events: EventList? = nil) -> AuthenticatorEnvironment {
    AuthenticatorEnvironment(appIdentifier: nil, deviceName: "test", emit: { events?.append($0) })
  }

  /// A derivation that costs next to nothing.
  static func options(
    providers: [any KeyProvider] = [SoftwareKeyProvider()], logN: Int = 4, busyTimeout: Duration = .seconds(20),
    deviceSecret: SecretBytes? = nil, createIfMissing: Bool = true, isReadOnly: Bool = false
  ) -> SQLiteKeyStore.Options {
    var options = SQLiteKeyStore.Options(
      providers: providers, scryptParameters: ScryptParameters(logN: logN, r: 8, p: 1), busyTimeout: busyTimeout,
      deviceSecret: deviceSecret, createIfMissing: createIfMissing, isReadOnly: isReadOnly)
    options.scryptBounds = ScryptBounds(minimumLogN: 1)
    return options
  }

  static func open(
    _ path: String, _ options: SQLiteKeyStore.Options = options(), events: EventList? = nil
  ) async throws -> SQLiteKeyStore {
    try await SQLiteKeyStore.open(path: path, environment: environment(events), options: options)
  }

  static func request(
    account: String = "alice", party: String = "/", slot: String? = nil, externalID: String? = nil,
    counter: CounterMode = .zero
  ) -> KeyRequest {
    KeyRequest(
      owner: KeyOwner(
        instance: "https://am.example", family: .deviceBinding, party: party, account: Array(account.utf8)),
      algorithms: [.es256], slot: slot, externalID: externalID.map { Array($0.utf8) }, counter: counter)
  }

  static func active(_ store: SQLiteKeyStore, _ request: KeyRequest = request()) async throws -> KeyRecord {
    let staged = try await store.stage(
      request, as: .none, access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
    return try await store.commit(staged.tag, externalID: nil, details: [])
  }

  static func wrapped(
    _ store: SQLiteKeyStore, _ opened: KeyAuthorization, in domain: SecretDomain, account: String = "pin user"
  ) async throws -> KeyRecord {
    let staged = try await store.stage(
      request(account: account), as: .applicationPIN, access: KeyAccess(gate: .secret(domain)), enrollmentState: nil,
      ticket: try ticket(opened))
    return try await store.commit(staged.tag, externalID: nil, details: [])
  }

  static func ticket(
    _ authorization: KeyAuthorization = .none, _ methods: Set<VerificationMethod> = [.applicationPIN]
  ) throws -> VerificationTicket {
    let environment = environment()
    return VerificationTicket(
      verification: UserVerification(level: .verified, methods: methods, time: environment.now()),
      authorization: authorization, operation: try OperationID(in: environment),
      expires: environment.uptime() + .seconds(300))
  }

  static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  /// Whether the store signs with a key so that its public key agrees.
  static func signs(_ store: SQLiteKeyStore, _ record: KeyRecord, _ ticket: VerificationTicket? = nil) async throws
    -> Bool
  {
    let signature = try await store.sign([1, 2, 3], with: record.tag, ticket: ticket)
    return try Verifier(record.publicKey, algorithm: record.algorithm).isValidSignature(signature, for: [1, 2, 3])
  }
}

/// Collects events.
final class EventList: Sendable {
  private let list = Mutex<[AuthenticatorEvent]>([])
  func append(_ event: AuthenticatorEvent) { list.withLock { $0.append(event) } }
  var all: [AuthenticatorEvent] { list.withLock { $0 } }
}

/// The code of the error that a body throws; nil: it throws none.
func code(_ body: () async throws -> some Any) async -> AuthenticatorError.Code? {
  do { _ = try await body() } catch let error as AuthenticatorError { return error.code } catch {
    return AuthenticatorError.Code(rawValue: "\(error)")
  }
  return nil
}

/// Changes a store file behind the package's back.
enum RawDatabase {
  struct Failure: Error { let message: String }

  /// Runs statements; the rows of the last one come back as text.
  @discardableResult
  static func run(_ path: String, _ statements: String...) throws -> [[String]] {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(message: "open") }
    var rows: [[String]] = []
    for sql in statements {
      rows = []
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
        throw Failure(message: String(cString: sqlite3_errmsg(handle)))
      }
      while true {
        let status = sqlite3_step(statement)
        guard status == SQLITE_ROW else {
          guard status == SQLITE_DONE else { throw Failure(message: String(cString: sqlite3_errmsg(handle))) }
          break
        }
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
          })
      }
    }
    return rows
  }
}

extension RawDatabase {
  /// Opens a write transaction and leaves it open.
  static func lock(_ path: String) throws -> OpaquePointer? {
    var handle: OpaquePointer?
    guard sqlite3_open(path, &handle) == SQLITE_OK, sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK
    else { throw Failure(message: "lock") }
    return handle
  }

  static func unlock(_ handle: OpaquePointer?) { sqlite3_close_v2(handle) }
}
