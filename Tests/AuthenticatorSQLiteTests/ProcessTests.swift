import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Foundation
import Testing

/// Several processes on one store. Serialized: each test keeps all processors busy.
@Suite(.serialized) struct ProcessTests {
  private static let isThorough = ProcessInfo.processInfo.environment["STORE_TESTS"] == "thorough"

  @Test func countersAreUniqueAndNoKeyIsLost() async throws {
    let folder = try TemporaryFolder()
    let shared = try await TestStore.active(
      try await TestStore.open(folder.store), TestStore.request(counter: .rising))
    let rounds = Self.isThorough ? 100 : 12
    let drivers = try (0..<4).map { _ in try Driver(["churn", folder.store, shared.tag.rawValue, "\(rounds)"]) }
    let outcomes = try drivers.map { try $0.finish() }
    for outcome in outcomes {
      #expect(outcome.isDone, "\(outcome.lines.suffix(3))")
      let values = outcome.values("value").compactMap { Int($0) }
      #expect(values.count == rounds * 20)
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "a process saw a counter fall")
    }
    let values = outcomes.flatMap { $0.values("value") }
    #expect(Set(values).count == values.count, "a value was given out twice")

    let store = try await TestStore.open(folder.store)
    let gone = Set(outcomes.flatMap { $0.values("gone") })
    let kept = Set(outcomes.flatMap { $0.values("kept") }).subtracting(gone)
    let present = try await store.records(matching: KeyQuery(instance: "https://am.example"))
    #expect(Set(present.map(\.tag.rawValue)) == kept.union([shared.tag.rawValue]))
    for record in present { #expect(try await TestStore.signs(store, record)) }
    #expect(!store.isDamaged)
    #expect(try await store.advance(.key(shared.tag)) > values.compactMap { UInt32($0) }.max() ?? .max)
  }

  @Test func manyMayOpenAFreshPathAtOnce() async throws {
    for _ in 0..<(Self.isThorough ? 200 : 6) {
      let folder = try TemporaryFolder()
      let drivers = try (0..<6).map { _ in try Driver(["stage", folder.store]) }
      let tags = try drivers.map { driver in
        let outcome = try driver.finish()
        #expect(outcome.isDone, "\(outcome.lines)")
        return outcome.values("ok").first { $0.count == 20 }
      }
      let store = try await TestStore.open(folder.store)
      let present = Set(try await store.records(matching: .everything).map(\.tag.rawValue))
      #expect(present == Set(tags.compactMap { $0 }) && present.count == 6)
    }
  }

  @Test func whatIsMadeOnceIsTheSameForAll() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.store)
    let rounds = Self.isThorough ? 500 : 40
    let drivers = try (0..<4).map { _ in try Driver(["keep", folder.store, "\(rounds)"]) }
    let outcomes = try drivers.map { try $0.finish() }
    for outcome in outcomes { #expect(outcome.isDone, "\(outcome.lines.suffix(3))") }
    let values = outcomes.map { $0.values("value") }
    #expect(values[0].count == rounds && Set(values[0]).count == rounds)
    #expect(values.allSatisfy { $0 == values[0] })
    let store = try await TestStore.open(folder.store)
    #expect(try await store.item(ItemName(owner: nil, name: "list"))?.count == 4 * rounds * 8)
  }

  @Test func whatWasAcknowledgedSurvivesBeingKilled() async throws {
    let folder = try TemporaryFolder()
    let shared = try await TestStore.active(
      try await TestStore.open(folder.store), TestStore.request(counter: .rising))
    var kept = Set<String>()
    var going = Set<String>()
    var gone = Set<String>()
    var values: [Int] = []
    for round in 0..<(Self.isThorough ? 1000 : 25) {
      let driver = try Driver(["churn", folder.store, shared.tag.rawValue, "100000"])
      // From the first line on to some rounds later.
      let outcome = try driver.kill(after: 1 + round * 191 % 1500)
      #expect(outcome.wasKilled)
      let seen = outcome.values("value").compactMap { Int($0) }
      #expect(values.last ?? 0 < seen.first ?? .max, "a value came back after a crash")
      values += seen
      kept.formUnion(outcome.values("kept"))
      going.formUnion(outcome.values("going"))
      gone.formUnion(outcome.values("gone"))
    }
    #expect(kept.count > 10, "the processes were killed before they did anything")
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
    let store = try await TestStore.open(folder.store)
    #expect(!store.isDamaged)
    let present = try await store.records(matching: .everything)
    let active = Set(present.filter { $0.state == .active }.map(\.tag.rawValue))
    #expect(kept.subtracting(going).isSubset(of: active), "an acknowledged key is lost")
    #expect(gone.isDisjoint(with: active), "a deleted key came back")
    for record in present { #expect(try await TestStore.signs(store, record)) }
  }

  @Test func memoryThatRanOutIsCalledThat() async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    let key = try await TestStore.active(store)
    let outcome = try Driver.run(["starve", folder.store, key.tag.rawValue])
    #expect(outcome.lines == ["ok open", "error outOfMemory", "signed", "ok done"])
    #expect(try await store.records(matching: .everything).map(\.tag) == [key.tag])
  }

  @Test func aForkedChildIsRefused() async throws {
    let folder = try TemporaryFolder()
    let key = try await TestStore.active(try await TestStore.open(folder.store))
    let outcome = try Driver.run(["fork", folder.store, key.tag.rawValue])
    #expect(outcome.lines == ["ok open", "child error storageFailed", "parent signed", "ok done"])
    #expect(try await TestStore.signs(try await TestStore.open(folder.store), key))
  }
}
