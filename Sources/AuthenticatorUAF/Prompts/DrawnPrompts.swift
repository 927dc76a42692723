import AuthenticatorCoding
import AuthenticatorCore

/// Puts the app's own biometric prompt before the sensor. Fallback and cancel are buttons of that prompt; the sensor is
/// asked without them.
struct DrawnVerifier: UserVerifier {
  let verifier: any UserVerifier
  let desk: PromptDesk

  func methods() async -> [VerificationMethod: MethodState] { await verifier.methods() }
  func enrollmentState() async throws -> EnrollmentState? { try await verifier.enrollmentState() }

  func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    guard case .verified(let methods) = access.gate, methods.contains(where: \.isBiometric) else {
      desk.show(.scanning)
      return try await verifier.verify(request, by: access)
    }
    let hasFallback = request.prompt.fallbackTitle != nil
    let prompt = UAFAuthenticationView.BiometricPrompt(prompt: request.prompt, isRetry: desk.scanFailed)
    let answer = try await desk.ask(.biometric(prompt)) { answer in
      switch answer {
      case .scan, .cancel: true
      case .fallback: hasFallback
      default: false
      }
    }
    switch answer {
    case .fallback: throw AuthenticatorError(.fallbackRequested, stage: "uaf.view")
    case .scan:
      var request = request
      request.prompt.fallbackTitle = nil
      desk.show(.scanning)
      do {
        let ticket = try await verifier.verify(request, by: access)
        desk.noteScan(failed: false)
        return ticket
      } catch let error as AuthenticatorError where [.userCanceled, .userVerificationFailed].contains(error.code) {
        desk.noteScan(failed: true)
        throw error
      }
    default:
      desk.noteScan(failed: true)
      throw AuthenticatorError(.userCanceled, stage: "uaf.view")
    }
  }
}

/// Lets the app draw choices.
struct DrawnResponder: PromptResponder {
  let desk: PromptDesk

  func choose(_ question: ChoiceQuestion) async throws -> String {
    let options = question.options
    let answer = try await desk.ask(.choice(options, question.prompt)) { answer in
      switch answer {
      case .cancel: true
      case .choose(let option): options.contains { $0.isIdentical(to: option) }
      default: false
      }
    }
    guard case .choose(let option) = answer else { throw AuthenticatorError(.userCanceled, stage: "uaf.view") }
    return option
  }

  func approve(_ question: ApprovalQuestion) async throws -> Bool {
    try await desk.approve(.text(question.content), question.prompt)
  }
}

/// Lets the app draw transactions.
struct DrawnDisplay: UAFTransactionDisplay {
  let desk: PromptDesk
  let displaysImages: Bool

  func approve(_ content: UAFTransaction.Content, prompt: Prompt, deadline: Duration) async throws -> Bool {
    try await desk.approve(content, prompt)
  }
}

extension PromptDesk {
  fileprivate func approve(_ content: UAFTransaction.Content, _ prompt: Prompt) async throws -> Bool {
    let answer = try await ask(.approval(content, prompt)) { answer in
      switch answer {
      case .cancel, .approve: true
      default: false
      }
    }
    guard case .approve(let isApproved) = answer else { throw AuthenticatorError(.userCanceled, stage: "uaf.view") }
    return isApproved
  }
}
