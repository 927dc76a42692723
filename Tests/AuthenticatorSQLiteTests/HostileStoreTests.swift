import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Foundation
import Testing

/// Stores that somebody, or a disk, has changed.
@Suite struct HostileStoreTests {
  /// Every position instead of a sample.
  static let isThorough = ProcessInfo.processInfo.environment["STORE_TESTS"] == "thorough"

  /// A small closed store with an open key, a wrapped key, a counter and an item.
  struct Sample {
    let folder: TemporaryFolder
    let content: [UInt8]
    let open: KeyRecord
    let other: KeyRecord
    let wrapped: KeyRecord
    let domain = SecretDomain(rawValue: "pin")

    init() async throws {
      folder = try TemporaryFolder()
      let store = try await TestStore.open(folder.store)
      open = try await TestStore.active(store, TestStore.request(slot: "s", externalID: "n", counter: .rising))
      other = try await TestStore.active(store, TestStore.request(account: "bob", slot: "t", externalID: "m"))
      wrapped = try await TestStore.wrapped(
        store, try await store.create(domain, secret: TestStore.secret("1234")), in: domain)
      try await store.setItem(ItemName(owner: open.tag, name: "i"), to: [1, 2, 3])
      try await store.compact()
      content = try folder.bytes()
    }

    var records: [KeyRecord] { [open, other, wrapped] }

    /// A record but for its last use, which examining it changes.
    static func core(_ record: KeyRecord) -> KeyRecord {
      var record = record
      record.lastUsedAt = nil
      return record
    }
  }

  /// Opens damaged content and uses all of it. Whatever happens must be a right answer or a typed error; what was
  /// there must not look absent.
  func examine(_ content: [UInt8], of sample: Sample, _ what: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(content)
    let typed: Set<AuthenticatorError.Code> = [
      .notAStore, .storeDamaged, .storeNewer, .storageFailed, .integrityFailed, .busy,
    ]
    func attempt<Value>(_ step: String, _ body: () async throws -> Value) async -> Value? {
      do { return try await body() } catch let error as AuthenticatorError {
        #expect(typed.contains(error.code), "\(what), \(step): \(error)")
        return nil
      } catch {
        Issue.record("\(what), \(step): \(error)")
        return nil
      }
    }
    guard let store = await attempt("open", { try await TestStore.open(folder.store) }) else { return }
    for record in sample.records {
      if let found = await attempt("record", { try await store.record(record.tag) }) {
        #expect(found.map(Sample.core) == record, "\(what): a record changed or vanished")
      }
      if record.access.gate == .open {
        if let signs = await attempt("sign", { try await TestStore.signs(store, record) }) {
          #expect(signs, "\(what): a wrong signature")
        }
      }
    }
    if let all = await attempt("list", { try await store.records(matching: .everything) }) {
      let damaged = await attempt("damaged", { try await store.damagedTags() }) ?? []
      #expect(!all.isEmpty || !damaged.isEmpty, "\(what): an empty list")
      if !store.isDamaged { #expect(all.count + damaged.count == 3, "\(what): \(all.count) listed") }
      for record in all { #expect(sample.records.contains(Sample.core(record)), "\(what): a record changed") }
    }
    let query = KeyQuery(instance: "https://am.example", account: Array("bob".utf8))
    if let found = await attempt("query", { try await store.records(matching: query) }) {
      let isReported = await attempt("damaged", { try await !store.damagedTags().isEmpty }) ?? true
      #expect(found.map(Sample.core) == [sample.other] || isReported, "\(what): a query lost its answer")
    }
    if let value = await attempt("advance", { try await store.advance(.key(sample.open.tag)) }) {
      #expect(value > 0)
    }
    if let item = await attempt("item", { try await store.item(ItemName(owner: sample.open.tag, name: "i")) }) {
      #expect(item == [1, 2, 3] || store.isDamaged, "\(what): an item changed")
    }
    if let opened = await attempt(
      "unlock", { try await store.unlock(sample.domain, with: TestStore.secret("1234")) })
    {
      let signs = await attempt("sign") { try await TestStore.signs(store, sample.wrapped, TestStore.ticket(opened)) }
      #expect(signs != false, "\(what): a wrong signature")
    }
  }

  @Test func survivesAFlippedByteAnywhere() async throws {
    let sample = try await Sample()
    // A prime stride visits every part of every page; the thorough run visits every byte.
    let stride = Self.isThorough ? 1 : 197
    for position in Swift.stride(from: 0, to: sample.content.count, by: stride) {
      var content = sample.content
      content[position] ^= position % 3 == 0 ? 0xFF : 0x01
      try await examine(content, of: sample, "byte \(position)")
    }
  }

  @Test func survivesFlippedBytesWhereThePagesBegin() async throws {
    let sample = try await Sample()
    let length = Self.isThorough ? 128 : 16
    for page in Swift.stride(from: 0, to: sample.content.count, by: 4096) {
      for position in Swift.stride(from: page, to: page + length, by: Self.isThorough ? 1 : 3) {
        var content = sample.content
        content[position] = ~content[position]
        try await examine(content, of: sample, "byte \(position)")
      }
    }
  }

  @Test func survivesBeingCutAnywhere() async throws {
    let sample = try await Sample()
    for length in Swift.stride(from: 0, to: sample.content.count, by: Self.isThorough ? 512 : 1536) {
      try await examine(Array(sample.content[..<length]), of: sample, "cut at \(length)")
    }
  }

  @Test func survivesAZeroedPage() async throws {
    let sample = try await Sample()
    for page in Swift.stride(from: 0, to: sample.content.count, by: 4096) {
      var content = sample.content
      content.replaceSubrange(page..<page + 4096, with: [UInt8](repeating: 0, count: 4096))
      try await examine(content, of: sample, "page at \(page)")
    }
  }

  @Test func survivesSwappedPages() async throws {
    let sample = try await Sample()
    let pages = sample.content.count / 4096
    for first in 1..<pages {
      for second in first + 1..<pages where Self.isThorough || (first + second) % 3 == 0 {
        var content = sample.content
        for offset in 0..<4096 { content.swapAt(first * 4096 + offset, second * 4096 + offset) }
        try await examine(content, of: sample, "pages \(first) and \(second)")
      }
    }
  }
}
