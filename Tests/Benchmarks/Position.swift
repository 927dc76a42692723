import Synchronization

/// Where a walk through keys has got to: a call goes on where the one before it stopped, since begun anew it would meet
/// what the last one left warm.
final class Position: Sendable {
  private let next = Mutex(0)

  func advance(by count: Int) -> Range<Int> {
    next.withLock { next in
      defer { next += count }
      return next..<(next + count)
    }
  }
}
