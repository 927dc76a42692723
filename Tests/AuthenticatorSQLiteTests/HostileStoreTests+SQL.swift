import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Foundation
import Testing

/// Rows and a schema that somebody has changed by SQL.
extension HostileStoreTests {
  // MARK: Changed by SQL

  private static let columns = [
    "tag", "instance", "party", "account", "slot", "name", "record", "status", "material",
  ]

  @Test(arguments: columns) func aColumnSwappedBetweenRowsNeverSigns(_ column: String) async throws {
    let sample = try await Sample()
    let tags = [sample.open.tag.rawValue, sample.other.tag.rawValue]
    // Both keys belong to one server and party.
    let isShared = ["instance", "party"].contains(column)
    if column == "tag" {
      try RawDatabase.run(
        sample.folder.store, "UPDATE keys SET tag = 'x' WHERE tag = '\(tags[0])'",
        "UPDATE keys SET tag = '\(tags[0])' WHERE tag = '\(tags[1])'",
        "UPDATE keys SET tag = '\(tags[1])' WHERE tag = 'x'")
    } else {
      try RawDatabase.run(
        sample.folder.store, "CREATE TEMP TABLE copy AS SELECT tag, \(column) AS value FROM keys",
        "UPDATE keys SET \(column) = (SELECT value FROM copy WHERE tag = '\(tags[1])') WHERE tag = '\(tags[0])'",
        "UPDATE keys SET \(column) = (SELECT value FROM copy WHERE tag = '\(tags[0])') WHERE tag = '\(tags[1])'")
    }
    let events = EventList()
    let store = try await TestStore.open(sample.folder.store, events: events)
    for record in [sample.open, sample.other] {
      if isShared {
        #expect(try await TestStore.signs(store, record))
        continue
      }
      #expect(await code { try await store.sign([1], with: record.tag, ticket: nil) } == .integrityFailed)
      if column == "material" { continue }
      #expect(await code { try await store.record(record.tag) } == .integrityFailed)
    }
    if isShared || column == "material" { return }
    #expect(Set(try await store.damagedTags()) == [sample.open.tag, sample.other.tag])
    #expect(try await store.records(matching: .everything) == [sample.wrapped])
    #expect(events.all.contains(.recordSetAside(reason: .integrityFailed)))
    // What is set aside can be deleted by name, and the rest goes on.
    try await store.delete(sample.open.tag)
    #expect(try await store.damagedTags() == [sample.other.tag])
  }

  /// A record that was set aside takes no place among the last ones.
  @Test func aLimitedQueryReadsPastWhatIsDamaged() async throws {
    let sample = try await Sample()
    let query = KeyQuery(instance: sample.other.owner.instance, limit: 2)
    try RawDatabase.run(
      sample.folder.store, "UPDATE keys SET version = version + 1 WHERE tag = '\(sample.other.tag)'")
    let store = try await TestStore.open(sample.folder.store)
    #expect(try await store.records(matching: query).map(\.tag) == [sample.open.tag, sample.wrapped.tag])
  }

  @Test(arguments: ["instance", "party", "account", "slot", "name", "state", "version"])
  func anEditedColumnNeverSigns(_ column: String) async throws {
    let sample = try await Sample()
    try RawDatabase.run(
      sample.folder.store, "UPDATE keys SET \(column) = 3 WHERE tag = '\(sample.open.tag)'")
    let store = try await TestStore.open(sample.folder.store)
    #expect(await code { try await store.sign([1], with: sample.open.tag, ticket: nil) } == .integrityFailed)
    #expect(try await TestStore.signs(store, sample.other))
    #expect(try await store.damagedTags() == [sample.open.tag])
  }

  @Test func aStateThatThereIsNotIsReported() async throws {
    let sample = try await Sample()
    try RawDatabase.run(sample.folder.store, "UPDATE keys SET state = 77 WHERE tag = '\(sample.open.tag)'")
    let store = try await TestStore.open(sample.folder.store)
    #expect(try await store.damagedTags() == [sample.open.tag])
    #expect(try await store.records(matching: .everything).count == 2)
  }

  @Test func valuesSwappedInTheLedgerAreRefused() async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    let keys = [
      try await TestStore.active(store, TestStore.request(counter: .rising)),
      try await TestStore.active(store, TestStore.request(counter: .rising)),
    ]
    for _ in 0..<70 { _ = try await store.advance(.key(keys[0].tag)) }
    let names = try RawDatabase.run(folder.store, "SELECT hex(name) FROM ledger WHERE kind = 1").map { $0[0] }
    try RawDatabase.run(
      folder.store, "CREATE TEMP TABLE copy AS SELECT * FROM ledger",
      "UPDATE ledger SET value = (SELECT value FROM copy WHERE hex(name) = '\(names[0])') WHERE hex(name) = '\(names[1])'"
    )
    let again = try await TestStore.open(folder.store)
    let codes = [
      await code { try await again.advance(.key(keys[0].tag)) },
      await code { try await again.advance(.key(keys[1].tag)) },
    ]
    #expect(codes.filter { $0 == .integrityFailed }.count == 1)
  }

  @Test func aDeletedCounterDoesNotBeginAgain() async throws {
    let sample = try await Sample()
    try RawDatabase.run(sample.folder.store, "DELETE FROM ledger WHERE kind = 1")
    let store = try await TestStore.open(sample.folder.store)
    #expect(await code { try await store.advance(.key(sample.open.tag)) } == .integrityFailed)
  }

  @Test func deletedAttemptsAreNotForgiven() async throws {
    let sample = try await Sample()
    try RawDatabase.run(sample.folder.store, "DELETE FROM ledger WHERE kind = 2")
    let store = try await TestStore.open(sample.folder.store)
    #expect(await code { try await store.unlock(sample.domain, with: TestStore.secret("1234")) } == .integrityFailed)
    #expect(await code { try await store.attempts(of: sample.domain) } == .integrityFailed)
  }

  @Test(arguments: [
    "log_n = 1", "log_n = 30", "log_n = 0", "log_n = -1", "log_n = 9223372036854775807", "r = 0", "r = 1048576",
    "p = 1048576", "p = 0", "salt = x''", "salt = zeroblob(1000000)", "algorithm = 'none'", "id = x''",
    "wrap = zeroblob(60)", "code = x''",
  ])
  func aChangedDerivationIsRefusedBeforeItRuns(_ change: String) async throws {
    let sample = try await Sample()
    try RawDatabase.run(sample.folder.store, "UPDATE domains SET \(change)")
    var options = TestStore.options()
    options.scryptBounds = ScryptBounds(minimumLogN: 2)
    let store = try await TestStore.open(sample.folder.store, options)
    #expect(await code { try await store.unlock(sample.domain, with: TestStore.secret("1234")) } == .integrityFailed)
    #expect(try await store.attempts(of: sample.domain).failures == 0)
  }

  @Test func wrapsSwappedBetweenDomainsAreNotWrongPINs() async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    let domains = [SecretDomain(rawValue: "a"), SecretDomain(rawValue: "b")]
    for domain in domains { _ = try await store.create(domain, secret: TestStore.secret("1234")) }
    try RawDatabase.run(
      folder.store, "CREATE TEMP TABLE copy AS SELECT rowid AS id, wrap FROM domains",
      "UPDATE domains SET wrap = (SELECT wrap FROM copy WHERE copy.id <> domains.rowid)")
    for domain in domains {
      #expect(await code { try await store.unlock(domain, with: TestStore.secret("1234")) } == .integrityFailed)
    }
  }

  // MARK: Changed schema

  @Test(arguments: [
    "CREATE TRIGGER t AFTER INSERT ON keys BEGIN DELETE FROM keys; END",
    "CREATE TRIGGER t AFTER UPDATE ON ledger BEGIN DELETE FROM keys; END",
    "CREATE VIEW v AS SELECT * FROM keys", "CREATE TABLE more(x)", "CREATE INDEX more ON keys(version)",
    "DROP INDEX keys_party", "ALTER TABLE keys ADD COLUMN more TEXT", "DROP TABLE intents",
  ])
  func aChangedSchemaIsRefused(_ change: String) async throws {
    let sample = try await Sample()
    try RawDatabase.run(sample.folder.store, change)
    let before = try RawDatabase.run(sample.folder.store, "SELECT count(*) FROM keys")
    #expect(await code { try await TestStore.open(sample.folder.store) } == .storeDamaged)
    #expect(try RawDatabase.run(sample.folder.store, "SELECT count(*) FROM keys") == before)
  }

  @Test(arguments: ["id", "secret", "code"]) func aChangedHeadIsRefused(_ name: String) async throws {
    let sample = try await Sample()
    let path = sample.folder.store
    try RawDatabase.run(path, "UPDATE head SET value = randomblob(length(value)) WHERE name = '\(name)'")
    #expect(await code { try await TestStore.open(path) } == .integrityFailed)
    try RawDatabase.run(path, "DELETE FROM head WHERE name = '\(name)'")
    #expect(await code { try await TestStore.open(path) } == .storeDamaged)
  }
}
