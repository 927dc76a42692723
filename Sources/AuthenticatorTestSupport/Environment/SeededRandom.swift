import AuthenticatorCrypto
import Synchronization

/// Random-looking bytes that are the same in every run: SHA-256 of seed and position. For tests only.
public final class SeededRandom: Sendable {
  private let seed: UInt64
  private let position = Mutex<UInt64>(0)

  /// Starts the sequence of a seed.
  public init(seed: UInt64 = 1) { self.seed = seed }

  /// The next bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    var result: [UInt8] = []
    while result.count < count {
      let block = position.withLock { position in
        position += 1
        return position
      }
      result += SHA256.hash(withUnsafeBytes(of: (seed.bigEndian, block.bigEndian)) { Array($0) })
    }
    return Array(result.prefix(count))
  }
}
