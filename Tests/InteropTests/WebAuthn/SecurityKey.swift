import AuthenticatorKit
import AuthenticatorWebAuthn
import Foundation

/// Our CTAP2 layer as a security key: reports go in one after the other, and what it sends comes out in order, with a
/// sign of life while it works.
@MainActor final class SecurityKey {
  private let device: CTAPHIDDevice
  private let send: @Sendable ([UInt8]) -> Void

  /// - Parameter send: takes what the key sends; called on the main actor.
  init(_ passkeys: Passkeys, _ type: AuthenticatorType = .biometricOnly, send: @escaping @Sendable ([UInt8]) -> Void)
    async throws
  {
    device = CTAPHIDDevice(try CTAP2Authenticator(try await passkeys.authenticator(type, lists: false)))
    self.send = send
  }

  /// Hands a report in; may be called from any thread. Reports are taken in the order of the calls.
  nonisolated func receive(_ report: [UInt8]) {
    Task { @MainActor in
      let signs = Task {
        while !Task.isCancelled {
          try await Task.sleep(for: .milliseconds(20))
          if let sign = device.keepAlive { send(sign) }
        }
      }
      let answer = await device.receive(report)
      signs.cancel()
      for report in answer { send(report) }
    }
  }
}

/// Runs something that blocks on a thread of its own, never on Swift's pool.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}
