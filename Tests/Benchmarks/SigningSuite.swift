import AuthenticatorCrypto
import AuthenticatorJOSE
import BenchmarkFloors

/// Signatures and proofs, against OpenSSL's own signature with a kept key.
struct SigningSuite: Suite {
  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let floor = try Floor.signing()
    let key = try PrivateKey.generate(.es256)
    let message = Floor.message
    return [
      Benchmark(
        id: "sign-raw", what: "P-256 signature by AuthenticatorCrypto, kept key", unit: "1/s",
        ours: .rate { count in for _ in 0..<count { _ = try key.sign(message) } }, floor: floor)
    ]
  }
}
