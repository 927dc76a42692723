import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite
import CSQLite
import CStoreTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Works on a store file in a process of its own, for tests that interrupt, crowd or starve it.
///
/// `StoreDriver VERB PATH [ARGUMENT …]`. Each line on standard output is written at once, and only after what it says
/// is true: `ok …`, `value N`, `error CODE`.
@main
enum StoreDriver {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let verb = arguments.first, let path = arguments.dropFirst().first else { exit(2) }
    do {
      try await run(verb, path, Array(arguments.dropFirst(2)))
    } catch let error as AuthenticatorError {
      say("error \(error.code)")
    } catch {
      say("error \(type(of: error))")
    }
  }

  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(1, bytes, bytes.count)
  }

  static func run(_ verb: String, _ path: String, _ arguments: [String]) async throws {
    if verb == "fixtures" { return try await Fixtures.make(in: path) }
    let store = try await SQLiteKeyStore.open(
      path: path, environment: DriverWorld.environment(), options: DriverWorld.options())
    say("ok open")
    func argument(_ position: Int) throws -> String {
      guard arguments.indices.contains(position) else { throw AuthenticatorError(.invalidRequest) }
      return arguments[position]
    }
    func tag(_ position: Int) throws -> KeyTag { KeyTag(rawValue: try argument(position)) }
    switch verb {
    case "open": break
    case "look":
      let records = try await store.records(matching: .everything)
      for record in records { _ = try await store.sign([1], with: record.tag, ticket: nil) }
      say("ok signed \(records.count)")
    case "prepare": try await prepare(store)
    case "stage":
      say("ok \(try await DriverWorld.stage(store, slot: "slot").tag)")
    case "commit":
      try await store.commit(try tag(0), externalID: nil, details: Array("committed".utf8))
      say("ok commit")
    case "restore":
      try await store.restore(try tag(0))
      say("ok restore")
    case "delete":
      try await store.delete(try tag(0))
      say("ok delete")
    case "discard":
      try await store.discard(try tag(0))
      say("ok discard")
    case "change":
      try await store.change(
        DriverWorld.domain, from: DriverWorld.secret(try argument(0)), to: DriverWorld.secret(try argument(1)))
      say("ok change")
    case "unlock":
      _ = try await store.unlock(DriverWorld.domain, with: DriverWorld.secret(try argument(0)))
      say("ok unlock")
    case "count":
      for _ in 0..<(Int(try argument(1)) ?? 0) { say("value \(try await store.advance(.key(try tag(0))))") }
    case "sign":
      for number in 0..<(Int(try argument(1)) ?? 0) {
        _ = try await store.sign(Array("\(number)".utf8), with: try tag(0), ticket: nil)
        say("value \(try await store.advance(.key(try tag(0))))")
      }
    case "keep":
      // What is made once and kept, as an installation's token is; then a list that everybody adds to.
      let environment = DriverWorld.environment()
      for number in 0..<(Int(try argument(0)) ?? 0) {
        let name = ItemName(owner: nil, name: "once.\(number)")
        let item = try await patiently { try await store.item(name, orMaking: { try environment.random(8) }) }
        say("value \(item.map(String.init).joined(separator: "."))")
        let own = try environment.random(8)
        try await patiently { try await store.changeItem(ItemName(owner: nil, name: "list")) { ($0 ?? []) + own } }
      }
    case "churn": try await churn(store, try tag(0), Int(try argument(1)) ?? 0)
    case "fork": try await fork(store, try tag(0))
    case "starve": try await starve(store, try tag(0))
    default: throw AuthenticatorError(.invalidRequest)
    }
    say("ok done")
  }

  /// Fills a fresh store for the fault runs and names what it made.
  private static func prepare(_ store: SQLiteKeyStore) async throws {
    let holder = try await DriverWorld.stage(store, slot: "slot")
    try await store.commit(holder.tag, externalID: nil, details: [])
    let successor = try await DriverWorld.stage(store, slot: "slot")
    let opened = try await store.create(DriverWorld.domain, secret: DriverWorld.secret("482913"))
    let wrapped = try await DriverWorld.stageWrapped(store, opened)
    say("holder \(holder.tag)")
    say("successor \(successor.tag)")
    say("wrapped \(wrapped.tag)")
  }

  /// Signs, counts, enrolls and deletes, as an app that is used by many people would.
  private static func churn(_ store: SQLiteKeyStore, _ shared: KeyTag, _ rounds: Int) async throws {
    for round in 0..<rounds {
      let key = try await patiently { try await DriverWorld.stage(store, slot: nil) }
      try await patiently { try await store.commit(key.tag, externalID: nil, details: []) }
      say("kept \(key.tag)")
      _ = try await patiently { try await store.sign([1], with: shared, ticket: nil) }
      for _ in 0..<20 {
        let value = try await patiently { try await store.advance(.key(shared)) }
        say("value \(value)")
      }
      if round % 2 == 1 {
        say("going \(key.tag)")
        try await patiently { try await store.delete(key.tag) }
        say("gone \(key.tag)")
      }
    }
  }

  /// Tries again while another process is in the way; anything else is an error.
  @discardableResult
  private static func patiently<Value>(_ body: () async throws -> Value) async throws -> Value {
    for _ in 0..<20 {
      do { return try await body() } catch let error as AuthenticatorError where error.code == .busy {
        say("busy")
      }
    }
    return try await body()
  }

  /// Uses the store while SQLite gets no memory, and then again.
  private static func starve(_ store: SQLiteKeyStore, _ tag: KeyTag) async throws {
    sqlite3_hard_heap_limit64(1)
    do {
      _ = try await DriverWorld.stage(store, slot: nil)
      say("staged")
    } catch let error as AuthenticatorError { say("error \(error.code)") }
    sqlite3_hard_heap_limit64(0)
    _ = try await store.sign([1], with: tag, ticket: nil)
    say("signed")
  }

  /// Uses the store on both sides of a fork. The child must be refused before it touches a lock or a file.
  private static func fork(_ store: SQLiteKeyStore, _ tag: KeyTag) async throws {
    _ = try await store.sign([1], with: tag, ticket: nil)
    let child = authkit_test_fork()
    if child == 0 {
      do {
        _ = try await store.sign([2], with: tag, ticket: nil)
        say("child signed")
      } catch let error as AuthenticatorError { say("child error \(error.code)") } catch { say("child error") }
      _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    _ = try await store.sign([3], with: tag, ticket: nil)
    say("parent signed")
  }
}
