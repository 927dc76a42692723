import AuthenticatorCore
import AuthenticatorCrypto
import Synchronization

/// Passes prompts on to what shows them, and remembers of which kind each was and how it ended.
final class PromptLog: UserVerifier, PINCollector, PromptResponder {
  private let verifier: any UserVerifier
  private let collector: any PINCollector
  private let responder: any PromptResponder
  private let log = Mutex<[LoginOutcome.Prompt]>([])

  init(verifier: any UserVerifier, collector: any PINCollector, responder: any PromptResponder) {
    self.verifier = verifier
    self.collector = collector
    self.responder = responder
  }

  var prompts: [LoginOutcome.Prompt] { log.withLock { $0 } }

  func methods() async -> [VerificationMethod: MethodState] { await verifier.methods() }

  func enrollmentState() async throws -> EnrollmentState? { try await verifier.enrollmentState() }

  func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    let kind =
      switch access.gate {
      case .open: "presence"
      case .verified(let methods): methods.contains(where: \.isBiometric) ? "biometric" : "passcode"
      case .secret: "pin"
      }
    return try await logged(kind, "success") { try await verifier.verify(request, by: access) }
  }

  func collectPIN(_ request: PINRequest) async throws -> SecretBytes {
    try await logged("pin", "entered") { try await collector.collectPIN(request) }
  }

  func choose(_ question: ChoiceQuestion) async throws -> String {
    try await logged(question.kind.rawValue, "chosen") { try await responder.choose(question) }
  }

  func approve(_ question: ApprovalQuestion) async throws -> Bool {
    try await logged(question.kind.rawValue, "answered") { try await responder.approve(question) }
  }

  private func logged<Value>(_ kind: String, _ result: String, _ body: () async throws -> Value) async throws -> Value {
    do {
      let value = try await body()
      log.withLock { $0.append(.init(kind: kind, result: result)) }
      return value
    } catch {
      let code = AuthenticatorError.wrapping(error, as: .verifierUnavailable, stage: "prompt").code
      log.withLock { $0.append(.init(kind: kind, result: code.rawValue)) }
      throw error
    }
  }
}
