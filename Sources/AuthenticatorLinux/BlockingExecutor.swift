import Dispatch

/// Runs an actor's jobs on a serial queue of its own: for calls that block, which must not hold a thread that other
/// tasks need.
final class BlockingExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
