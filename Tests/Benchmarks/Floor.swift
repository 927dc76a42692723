import AuthenticatorCrypto
import BenchmarkFloors
import Foundation

/// The floors as quantities. Each throws when the library refuses, so that no ratio is taken over nothing.
enum Floor {
  struct Failed: Error {
    var what: String
  }

  /// As long as the signing input of a device-binding proof.
  static let message = [UInt8](repeating: 0x61, count: 300)

  /// OpenSSL alone: SHA-256 and ECDSA over P-256, key and context kept.
  static func signing() throws -> Benchmark.Quantity {
    guard let pointer = floor_signer_new() else { throw Failed(what: "EVP_EC_gen") }
    let signer = Handle(pointer, free: floor_signer_free)
    return .rate { count in
      guard floor_sign(signer.pointer, message, message.count, count) == count else {
        throw Failed(what: "EVP_PKEY_sign")
      }
    }
  }

  /// The same with the key imported anew for each signature.
  static func importing() throws -> Benchmark.Quantity {
    guard let pointer = floor_importer_new() else { throw Failed(what: "EVP_PKEY_fromdata_init") }
    let importer = Handle(pointer, free: floor_importer_free)
    return .rate { count in
      guard floor_import_and_sign(importer.pointer, message, message.count, count) == count else {
        throw Failed(what: "EVP_PKEY_fromdata")
      }
    }
  }

  /// One-row updates of a table of their own, each waiting for the disk, whose log has been filled once; see `WornLog`.
  static func commits(at path: String) throws -> Benchmark.Quantity {
    let table = try table(at: path, rows: 64, size: 300)
    guard floor_database_turn_log(table.pointer) == 1 else { throw Failed(what: "UPDATE") }
    return .rate { count in
      guard floor_database_commit(table.pointer, count) == count else { throw Failed(what: "COMMIT") }
    }
  }

  /// One derivation by OpenSSL alone.
  static func derive(_ cost: ScryptParameters) throws {
    guard floor_scrypt(1 << UInt64(cost.logN), UInt32(cost.r), UInt32(cost.p)) == 1 else {
      throw Failed(what: "EVP_KDF_derive")
    }
  }

  /// A table of rows with `size` bytes each, read by primary key.
  static func table(at path: String, rows: Int, size: Int) throws -> Handle {
    guard let pointer = floor_database_open(path) else { throw Failed(what: "sqlite3_open") }
    let database = Handle(pointer, free: floor_database_close)
    guard floor_database_fill(database.pointer, rows, size) == 1 else { throw Failed(what: "INSERT") }
    return database
  }

  static func read(_ database: Handle, rows: Int, count: Int) throws {
    guard floor_database_read(database.pointer, rows, count) == count else { throw Failed(what: "SELECT") }
  }
}

/// Owns a C object of the floors.
///
/// Unchecked because of the C pointer: a benchmark uses its own from one task at a time.
final class Handle: @unchecked Sendable {
  let pointer: OpaquePointer
  private let free: (OpaquePointer?) -> Void

  init(_ pointer: OpaquePointer, free: @escaping (OpaquePointer?) -> Void) {
    self.pointer = pointer
    self.free = free
  }

  deinit { free(pointer) }
}

/// Files of this run: `.build/bench-data` on the disk, and a folder in memory where keys are made without waiting for
/// it.
struct Workspace: Sendable {
  let disk: URL
  let memory: URL

  init() throws {
    disk = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).appendingPathComponent(".build/bench-data")
    memory = URL(fileURLWithPath: "/dev/shm/authenticator-bench-\(getpid())")
    remove()
    for folder in [disk, memory] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
  }

  func remove() {
    for folder in [disk, memory] { try? FileManager.default.removeItem(at: folder) }
  }
}
