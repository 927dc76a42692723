import AuthenticatorCore
import Synchronization

/// A clock that moves only when told to; whoever sleeps on it wakes then.
public final class ManualClock: Sendable {
  private struct Sleeper {
    var until: Duration
    var continuation: CheckedContinuation<Void, any Error>
  }
  private struct Face {
    var now: UnixTime
    var uptime: Duration
    var sleepers: [Int: Sleeper] = [:]
    var nextSleeper = 0
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let face: Mutex<Face>

  /// Starts at some instant.
  public init(now: UnixTime = UnixTime(milliseconds: 1_700_000_000_000), uptime: Duration = .seconds(1000)) {
    face = Mutex(Face(now: now, uptime: uptime))
  }

  /// The wall clock.
  public var now: UnixTime { face.withLock { $0.now } }

  /// The time since boot.
  public var uptime: Duration { face.withLock { $0.uptime } }

  /// Sets the wall clock alone, as an administrator would; uptime goes on.
  public func set(now: UnixTime) { face.withLock { $0.now = now } }

  /// Moves both clocks on and wakes whose time has come.
  public func advance(by duration: Duration) { move { _ in duration } }

  /// Moves both clocks on to when the first sleeper wakes, and wakes everybody whose time that is.
  /// - Returns: how long that sleeper had to go; nil: nobody sleeps, and the clocks stand.
  @discardableResult public func advanceToFirstSleeper() -> Duration? {
    move { face in face.sleepers.values.map(\.until).min().map { $0 - face.uptime } }
  }

  @discardableResult private func move(by length: (Face) -> Duration?) -> Duration? {
    let (duration, due) = face.withLock { face -> (Duration?, [CheckedContinuation<Void, any Error>]) in
      guard let duration = length(face) else { return (nil, []) }
      face.now = face.now.advanced(by: duration)
      face.uptime += duration
      let uptime = face.uptime
      let due = face.sleepers.filter { $0.value.until <= uptime }
      for key in due.keys { face.sleepers[key] = nil }
      return (duration, due.sorted { $0.key < $1.key }.map(\.value.continuation))
    }
    for continuation in due { continuation.resume() }
    return duration
  }

  /// Returns when uptime reaches `instant`.
  /// - Throws: `CancellationError`.
  public func sleep(until instant: Duration) async throws {
    let sleeper = face.withLock { face in
      face.nextSleeper += 1
      return face.nextSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (immediate, watchers) = face.withLock {
          face -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
          if Task.isCancelled { return (.failure(CancellationError()), []) }
          if instant <= face.uptime { return (.success(()), []) }
          face.sleepers[sleeper] = Sleeper(until: instant, continuation: continuation)
          let count = face.sleepers.count
          let awake = face.watchers.filter { $0.count <= count }.map(\.continuation)
          face.watchers.removeAll { $0.count <= count }
          return (nil, awake)
        }
        if let immediate { continuation.resume(with: immediate) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let continuation = face.withLock { $0.sleepers.removeValue(forKey: sleeper)?.continuation }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Returns when at least `count` tasks sleep on this clock: then a test may move it.
  public func waitForSleepers(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = face.withLock { face in
        if face.sleepers.count >= count { return true }
        face.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
