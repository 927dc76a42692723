import BenchmarkFloors
import Synchronization

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
