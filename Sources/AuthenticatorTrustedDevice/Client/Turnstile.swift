import AuthenticatorCore
import Synchronization

/// Lets one operation through at a time, in the order of asking. A cancelled task leaves the queue.
package final class Turnstile: Sendable {
  private struct Line {
    var isTaken = false
    var waiting: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    var cancelled: Set<UInt64> = []
    var next: UInt64 = 0
  }
  private let line = Mutex(Line())

  /// - Throws: `appCanceled` when the task is cancelled while it waits; what `body` throws.
  func run<Value>(_ body: () async throws -> Value) async throws -> Value {
    try await enter()
    defer { leave() }
    return try await body()
  }

  /// Runs `body` if nobody is inside.
  /// - Returns: nil: somebody was, and nothing happened.
  func runIfFree<Value>(_ body: () async throws -> Value) async throws -> Value? {
    let isMine = line.withLock { line in
      guard !line.isTaken else { return false }
      line.isTaken = true
      return true
    }
    guard isMine else { return nil }
    defer { leave() }
    return try await body()
  }

  private func enter() async throws {
    let number = line.withLock { line in
      line.next += 1
      return line.next
    }
    do {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          let result: Result<Void, any Error>? = line.withLock { line in
            if line.cancelled.remove(number) != nil { return .failure(CancellationError()) }
            guard line.isTaken else {
              line.isTaken = true
              return .success(())
            }
            line.waiting.append((number, continuation))
            return nil
          }
          if let result { continuation.resume(with: result) }
        }
      } onCancel: {
        let waiting: CheckedContinuation<Void, any Error>? = line.withLock { line in
          guard let place = line.waiting.firstIndex(where: { $0.number == number }) else {
            // Not in the queue yet, or through already; only the former looks here.
            line.cancelled.insert(number)
            return nil
          }
          return line.waiting.remove(at: place).continuation
        }
        waiting?.resume(throwing: CancellationError())
      }
    } catch {
      throw AuthenticatorError(.appCanceled, stage: "trustedDevice", underlying: error)
    }
    line.withLock { _ = $0.cancelled.remove(number) }
  }

  private func leave() {
    let next: CheckedContinuation<Void, any Error>? = line.withLock { line in
      guard !line.waiting.isEmpty else {
        line.isTaken = false
        return nil
      }
      return line.waiting.removeFirst().continuation
    }
    next?.resume()
  }
}

extension Turnstile {
  /// Runs a clean-up or a settlement to its end even when the calling task was cancelled.
  package static func shielded<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
    -> Value
  {
    try await Task { try await body() }.value
  }
}
