import AuthenticatorCore
import Synchronization

/// Where something waits, whatever becomes of its task, until it is opened.
final class Ear: Sendable {
  private struct State {
    var waiting: CheckedContinuation<Void, Never>?
    var isOpen = false
  }
  private let state = Mutex(State())

  func listen() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting = continuation }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func waitUntilAsked() async {
    while state.withLock({ $0.waiting == nil }) { await Task.yield() }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }
}

/// Does not come back from one of its calls, deadline and cancellation or not, before its ear is opened.
final class DeafAuthenticator: DeviceAuthenticator {
  enum Call: CaseIterable { case verify, register, authenticate }

  private let base: any DeviceAuthenticator
  private let call: Call
  private let ear: Ear
  private var running = 0
  /// How many of its calls have run at the same time.
  private(set) var overlap = 0
  private(set) var calls: [Call] = []

  init(_ base: any DeviceAuthenticator, in call: Call, _ ear: Ear) {
    self.base = base
    self.call = call
    self.ear = ear
  }

  var context: AuthenticatorContext { base.context }
  func type() -> AuthenticatorType { base.type() }
  func availability() async -> AuthenticatorAvailability { await base.availability() }
  func isSupported(attestation: Attestation) async -> Bool { await base.isSupported(attestation: attestation) }

  func verify(_ request: VerificationRequest) async throws -> VerificationTicket {
    try await drive(.verify) { try await base.verify(request) }
  }

  func register(_ request: RegistrationRequest) async throws -> StagedKey {
    try await drive(.register) { try await base.register(request) }
  }

  func authenticate(_ request: SigningRequest) async throws -> SigningKey {
    try await drive(.authenticate) { try await base.authenticate(request) }
  }

  func health(of record: KeyRecord) async -> KeyHealthReport { await base.health(of: record) }
  func deleteKeys() async throws { try await base.deleteKeys() }

  private func drive<Value>(_ call: Call, _ body: () async throws -> Value) async throws -> Value {
    calls.append(call)
    running += 1
    defer { running -= 1 }
    overlap = max(overlap, running)
    let value = try await body()
    if call == self.call { await ear.listen() }
    return value
  }
}
