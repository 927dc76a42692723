import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Foundation
import TestMachine
import Testing

/// One file operation goes wrong, at each position in turn, until an operation runs untouched. Afterwards the store
/// is as before the operation or as after it, says so truly, and works.
@Suite(.serialized) struct FaultTests {
  private static let isThorough = ProcessInfo.processInfo.environment["STORE_TESTS"] == "thorough"
  private static let kinds =
    ["eio", "cut"] + (isThorough ? ["enospc", "short", "half", "kill-before", "kill-after"] : [])

  /// The preloaded library, compiled once for the suite's process.
  private static let library = Result {
    let folder = try TemporaryFolder()
    let source = try #require(Bundle.module.path(forResource: "faults", ofType: "c", inDirectory: "Faults"))
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = ["cc", "-shared", "-fPIC", "-O1", "-o", folder.path + "/faults.so", source]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    return folder
  }

  /// A store with an active key in a slot, a staged successor, and a PIN with a key; made once and copied.
  struct Prepared: Sendable {
    let content: [UInt8]
    let holder: String
    let successor: String
    let wrapped: String

    // The arguments of the driver's verbs.
    var none: [String] { [] }
    var namingHolder: [String] { [holder] }
    var namingSuccessor: [String] { [successor] }
    var signing: [String] { [holder, "3"] }
    var changing: [String] { ["482913", "111111"] }
    var wrongPIN: [String] { ["000000"] }

    init() throws {
      let folder = try TemporaryFolder()
      let outcome = try Driver.run(["prepare", folder.store])
      content = try folder.bytes()
      holder = try #require(outcome.value("holder"))
      successor = try #require(outcome.value("successor"))
      wrapped = try #require(outcome.value("wrapped"))
      try #require(outcome.isDone)
    }
  }

  private static let prepared = Result { try Prepared() }

  /// Runs a verb with the n-th call failing, n = 1, 2, …, each on a fresh copy, and examines what is left.
  private func inject(
    _ kind: String, _ verb: String, onFreshPath: Bool = false,
    ending ends: String = "ok done", arguments: KeyPath<Prepared, [String]> = \.none,
    examine: (SQLiteKeyStore?, Driver.Outcome, Prepared, String) async throws -> Void
  ) async throws {
    let prepared = try Self.prepared.get()
    let library = try Self.library.get()
    var position = 0
    while true {
      position += 1
      try #require(position < 400, "the operation never runs untouched")
      let folder = try TemporaryFolder()
      let mark = folder.path + ".struck"
      defer { unlink(mark) }
      if !onFreshPath { try folder.write(prepared.content) }
      let outcome = try Driver.run(
        [verb, folder.store] + prepared[keyPath: arguments],
        environment: [
          "LD_PRELOAD": library.path + "/faults.so", "STORE_FAULT_FOLDER": folder.path, "STORE_FAULT_KIND": kind,
          "STORE_FAULT_AT": "\(position)", "STORE_FAULT_MARK": mark,
          "STORE_FAULT_SEED": "\(position)",
        ])
      let hasStruck = FileManager.default.fileExists(atPath: mark)
      let what = "\(verb), \(kind) at \(position): \(outcome.lines)"
      if ["cut", "half", "kill-before", "kill-after"].contains(kind) {
        #expect(outcome.wasKilled == hasStruck, "\(what)")
      } else {
        #expect(!outcome.wasKilled && outcome.status == 0, "\(what)")
        let typed = Set(["storageFailed", "storeDamaged", "busy"])
        if let error = outcome.value("error"), outcome.lines.last != ends {
          #expect(typed.contains(error), "\(what)")
        }
      }
      let store = try await SQLiteKeyStore.openIfPresent(
        path: folder.store, environment: TestStore.environment(), options: TestStore.options())
      if let store { #expect(!store.isDamaged, "\(what)") }
      try await examine(store, outcome, prepared, what)
      guard hasStruck else {
        #expect(outcome.lines.last == ends, "\(what)")
        #expect(position > 3, "nothing was ever counted")
        return
      }
    }
  }

  /// What must hold whatever happened: every record opens, and its key signs if its state allows it.
  private func checkKeys(_ store: SQLiteKeyStore, _ prepared: Prepared, _ what: String) async throws {
    #expect(try await store.damagedTags().isEmpty, "\(what)")
    for record in try await store.records(matching: .everything)
    where record.access.gate == .open && [.active, .staged].contains(record.state) {
      #expect(try await TestStore.signs(store, record), "\(what)")
      #expect(try await store.advance(.key(record.tag)) > 0, "\(what)")
    }
  }

  private func state(_ store: SQLiteKeyStore, _ tag: String) async throws -> KeyRecord.State? {
    try await store.record(KeyTag(rawValue: tag))?.state
  }

  @Test(arguments: kinds) func makingAStore(_ kind: String) async throws {
    try await inject(kind, "stage", onFreshPath: true) { store, outcome, _, what in
      guard let store else {
        #expect(!outcome.lines.contains("ok open"), "\(what)")
        return
      }
      let present = try await store.records(matching: .everything).map(\.tag.rawValue)
      #expect(present.count <= 1, "\(what)")
      if let tag = outcome.values("ok").first(where: { $0.count == 20 }) { #expect(present == [tag], "\(what)") }
    }
  }

  @Test(arguments: kinds) func staging(_ kind: String) async throws {
    try await inject(kind, "stage") { store, outcome, prepared, what in
      let store = try #require(store, "\(what)")
      try await checkKeys(store, prepared, what)
      let records = try await store.records(matching: .everything)
      #expect([3, 4].contains(records.count), "\(what)")
      if let tag = outcome.values("ok").first(where: { $0.count == 20 }) {
        #expect(try await state(store, tag) == .staged, "\(what)")
      }
      #expect(try await state(store, prepared.holder) == .active, "\(what)")
    }
  }

  @Test(arguments: kinds) func committing(_ kind: String) async throws {
    try await inject(kind, "commit", arguments: \.namingSuccessor) { store, outcome, prepared, what in
      let store = try #require(store, "\(what)")
      try await checkKeys(store, prepared, what)
      let states = [try await state(store, prepared.holder), try await state(store, prepared.successor)]
      let isAfter = states == [.retired, .active]
      #expect(isAfter || states == [.active, .staged], "\(what)")
      if outcome.lines.contains("ok commit") { #expect(isAfter, "\(what)") }
      // The operation can be repeated, and then holds.
      try await store.commit(KeyTag(rawValue: prepared.successor), externalID: nil, details: [])
      #expect(try await state(store, prepared.holder) == .retired, "\(what)")
    }
  }

  @Test(arguments: kinds) func destroying(_ kind: String) async throws {
    try await inject(kind, "delete", arguments: \.namingHolder) { store, outcome, prepared, what in
      let store = try #require(store, "\(what)")
      try await checkKeys(store, prepared, what)
      let found = try await state(store, prepared.holder)
      #expect(found == nil || found == .active, "\(what)")
      if outcome.lines.contains("ok delete") { #expect(found == nil, "\(what)") }
      try await store.delete(KeyTag(rawValue: prepared.holder))
      #expect(try await state(store, prepared.successor) == .staged, "\(what)")
    }
  }

  @Test(arguments: kinds) func signingAndCounting(_ kind: String) async throws {
    // One position in four calls of the counter reserves; the values of one run and the next must not overlap.
    try await inject(kind, "sign", arguments: \.signing) { store, outcome, prepared, what in
      let store = try #require(store, "\(what)")
      let given = outcome.values("value").compactMap { UInt32($0) }
      #expect(given == given.sorted(), "\(what)")
      let next = try await store.advance(.key(KeyTag(rawValue: prepared.holder)))
      #expect(next > given.max() ?? 0, "\(what)")
      try await checkKeys(store, prepared, what)
    }
  }

  @Test(arguments: kinds) func changingThePIN(_ kind: String) async throws {
    try await inject(kind, "change", arguments: \.changing) { store, outcome, prepared, what in
      let store = try #require(store, "\(what)")
      let domain = SecretDomain(rawValue: "pin/driver")
      var opened: [String: KeyAuthorization] = [:]
      for pin in ["482913", "111111"] {
        do { opened[pin] = try await store.unlock(domain, with: TestStore.secret(pin)) } catch let error
          as AuthenticatorError
        { #expect(error.code == .userVerificationFailed, "\(what)") }
      }
      #expect(opened.count == 1, "\(what)")
      if outcome.lines.contains("ok change") { #expect(opened["111111"] != nil, "\(what)") }
      let record = try #require(try await store.record(KeyTag(rawValue: prepared.wrapped)))
      let authorization = try #require(opened.values.first)
      #expect(try await TestStore.signs(store, record, TestStore.ticket(authorization)), "\(what)")
    }
  }

  @Test(arguments: kinds) func enteringAWrongPIN(_ kind: String) async throws {
    try await inject(
      kind, "unlock", ending: "error userVerificationFailed", arguments: \.wrongPIN
    ) { store, outcome, _, what in
      let store = try #require(store, "\(what)")
      let failures = try await store.attempts(of: SecretDomain(rawValue: "pin/driver")).failures
      #expect(failures <= 1, "\(what)")
      if outcome.lines.contains("error userVerificationFailed") { #expect(failures == 1, "\(what)") }
    }
  }

  // MARK: A full disk

  @Test(.enabled(if: Skips.unless(SmallDisk.isPossible))) func aFullDiskIsReportedAndSurvived() async throws {
    let disk = try SmallDisk(bytes: 256 * 1024)
    defer { disk.unmount() }
    let path = disk.path + "/keys.authstore"
    let store = try await TestStore.open(path)
    let domain = SecretDomain(rawValue: "pin")
    let first = try await TestStore.active(store, TestStore.request(counter: .rising))
    _ = try await store.create(domain, secret: TestStore.secret("1234"))
    try disk.fill()
    var kept: [KeyRecord] = [first]
    var failure: AuthenticatorError.Code?
    for _ in 0..<200 where failure == nil {
      failure = await code { kept.append(try await TestStore.active(store)) }
    }
    #expect(failure == .storageFailed)
    do { _ = try await TestStore.active(store) } catch let error as AuthenticatorError {
      #expect(error.reason.hasPrefix("SQLite ") && error.reason.hasSuffix(": \(path)"), "no file: \(error.reason)")
    }
    // Nothing can be paid, so no verdict is given.
    let before = try await store.attempts(of: domain).failures
    if let verdict = await code({ try await store.unlock(domain, with: TestStore.secret("0000")) }),
      verdict == .userVerificationFailed
    {
      #expect(try await store.attempts(of: domain).failures == before + 1)
    }
    for record in kept { #expect(try await TestStore.signs(store, record)) }
    try disk.free()
    let more = try await TestStore.active(store)
    #expect(try await TestStore.signs(store, more))
    let again = try await TestStore.open(path)
    #expect(!again.isDamaged)
    for record in kept + [more] { #expect(try await again.record(record.tag)?.state == .active) }
  }

  @Test(.enabled(if: Skips.unless(SmallDisk.isPossible))) func onAFullDiskAStoreOpensAndItsKeysSign() async throws {
    let disk = try SmallDisk(bytes: 256 * 1024)
    defer { disk.unmount() }
    let path = disk.path + "/keys.authstore"
    let domain = SecretDomain(rawValue: "pin")
    let key: KeyRecord
    do {
      let store = try await TestStore.open(path)
      key = try await TestStore.active(store)
      _ = try await store.create(domain, secret: TestStore.secret("1234"))
    }
    try disk.fill(leaving: 0)
    let store = try await TestStore.open(path)
    // A second one is not kept out.
    let second = try await TestStore.open(path)
    for store in [store, second, store] {
      #expect(!store.isReadOnly && !store.isDamaged)
      #expect(try await store.records(matching: .everything) == [key])
      #expect(try await TestStore.signs(store, key))
      #expect(await code { try await TestStore.active(store) } == .storageFailed)
      // An attempt that cannot be paid is not compared.
      #expect(await code { try await store.unlock(domain, with: TestStore.secret("1234")) } == .storageFailed)
      #expect(await code { try await store.delete(key.tag) } == .storageFailed)
    }
    try disk.free()
    let more = try await TestStore.active(store)
    #expect(try await TestStore.signs(second, more))
    _ = try await second.unlock(domain, with: TestStore.secret("1234"))
    #expect(try await TestStore.open(path).records(matching: .everything).count == 2)
  }
}
