import AuthenticatorCrypto
import Dispatch

/// Runs the slow derivation on a thread of its own, one at a time, so that it neither blocks other tasks nor takes
/// more memory than one derivation needs.
actor KeyDerivation {
  private let executor = QueueExecutor(label: "AuthenticatorKit.derivation")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func derive(
    _ password: SecretBytes, salt: [UInt8], _ parameters: ScryptParameters, _ bounds: ScryptBounds
  ) throws -> SecretBytes {
    try Scrypt.derive(password: password, salt: salt, parameters: parameters, bounds: bounds)
  }
}

/// Runs an actor's jobs on a serial queue of their own: for calls that block.
package final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
