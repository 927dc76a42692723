import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorSQLite
import Foundation

extension FuzzTarget {
  /// A key store's file in a stranger's hands: opened, listed and used.
  ///
  /// The first byte of an input says what it is: 0 a whole file, 1 edits of a good store, 2 edits of its write-ahead
  /// log. An edit is an offset of three bytes, a length of one, and as many bytes.
  static let store: FuzzTarget = {
    let bench = StoreBench()
    return FuzzTarget(name: "store", maximumLength: 1024) { bytes in try await bench.tryOne(bytes) }
  }()
}

private actor StoreBench {
  private struct Original {
    var file: [UInt8]
    var log: [UInt8]
    var records: [KeyRecord]
  }

  private var original: Original?
  private let folder = URL(fileURLWithPath: "/dev/shm/authenticator-fuzz-\(getpid())")
  private let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Fuzz")

  func tryOne(_ bytes: [UInt8]) async throws {
    let original = try await prepared()
    var (file, log) = (original.file, original.log)
    switch bytes.first {
    case 0: (file, log) = (Array(bytes.dropFirst()), [])
    case 2: Self.edit(&log, with: bytes.dropFirst())
    default: Self.edit(&file, with: bytes.dropFirst())
    }
    let path = folder.appendingPathComponent("tried.keys")
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path.path + suffix) } }
    try Data(file).write(to: path)
    if !log.isEmpty { try Data(log).write(to: URL(fileURLWithPath: path.path + "-wal")) }
    try await onlyAuthenticatorErrors {
      var options = SQLiteKeyStore.Options(busyTimeout: .milliseconds(100))
      options.createIfMissing = false
      let store = try await SQLiteKeyStore.open(path: path.path, environment: self.environment, options: options)
      _ = try await store.damagedTags()
      _ = try await store.records(matching: .everything)
      for record in original.records {
        try await onlyAuthenticatorErrors {
          let signature = try await store.sign([1, 2, 3], with: record.tag, ticket: nil)
          try expect(
            (try? record.publicKey.isValidSignature(signature, for: [1, 2, 3])) == true, "only its own key signs")
        }
      }
    }
  }

  private static func edit(_ file: inout [UInt8], with edits: ArraySlice<UInt8>) {
    var rest = edits
    while rest.count > 4, !file.isEmpty {
      let offset = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) } % file.count
      let count = Int(rest.dropFirst(3).first ?? 0)
      let content = rest.dropFirst(4).prefix(count)
      for (place, byte) in zip(offset..., content) where place < file.count { file[place] = byte }
      rest = rest.dropFirst(4 + count)
    }
  }

  private func prepared() async throws -> Original {
    if let original { return original }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("original.keys").path
    let store = try await SQLiteKeyStore.open(path: path, environment: environment)
    var records: [KeyRecord] = []
    for number in UInt8(0)..<3 {
      let owner = KeyOwner(instance: "https://id.example.com", family: .deviceBinding, party: "/", account: [number])
      let request = KeyRequest(owner: owner, algorithms: [.es256], slot: "\(number)")
      let record = try await store.stage(
        request, as: .none, access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
      records.append(try await store.commit(record.tag, externalID: nil, details: [number]))
    }
    // Copied while the store is open: then the log is there too.
    let made = Original(
      file: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))),
      log: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))), records: records)
    original = made
    return made
  }
}
