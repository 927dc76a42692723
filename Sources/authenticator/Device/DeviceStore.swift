import AuthenticatorCore
import AuthenticatorSQLite

/// The key store of the options, opened when it is first needed: a sign-in by password makes no file.
actor DeviceStore {
  let path: String
  private let environment: AuthenticatorEnvironment
  private var store: SQLiteKeyStore?

  init(path: String, environment: AuthenticatorEnvironment) {
    self.path = path
    self.environment = environment
  }

  /// Nil: there is none.
  func existing() async throws -> SQLiteKeyStore? {
    if let store { return store }
    let found = try await named { try await SQLiteKeyStore.openIfPresent(path: path, environment: environment) }
    store = store ?? found
    return store
  }

  /// The one that is there, or a new one.
  func opened() async throws -> SQLiteKeyStore {
    if let store = try await existing() { return store }
    let made = try await named { try await SQLiteKeyStore.open(path: path, environment: environment) }
    store = store ?? made
    return store ?? made
  }

  /// Runs a ceremony; what is wrong with the store is told with the file's name, and is no refusal.
  nonisolated func naming<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch {
      let failure = Failure(error)
      throw failure.status == .unusable ? failure.of(path) : error
    }
  }

  /// What goes wrong is told with the file's name.
  private func named<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch { throw Failure(error).of(path) }
  }
}
