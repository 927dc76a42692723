import AuthenticatorCore
import Testing

/// What an app does about an error.
enum Advice: Equatable {
  case nothing
  case useAnotherWay
  case wait(Duration?)
  case bindAgain
  case retry
  case report
}

func advice(for error: any Error) -> Advice {
  let error = AuthenticatorError.wrapping(error, as: .storageFailed, stage: "app")
  switch error.code {
  case .userCanceled, .appCanceled, .systemCanceled: return .nothing
  case .fallbackRequested: return .useAnotherWay
  case .lockedOut: return .wait(error.retryAfter)
  case .keyInvalidated, .deviceNotRegistered, .keyNotFound: return .bindAgain
  case .timedOut, .busy, .transportFailed, .userVerificationFailed: return .retry
  default: return .report
  }
}

@Suite("Article: handling errors")
struct Handling {
  struct Foreign: Error {}

  @Test func tellsAnAppWhatToDo() {
    #expect(advice(for: AuthenticatorError(.userCanceled)) == .nothing)
    #expect(advice(for: AuthenticatorError(.lockedOut, retryAfter: .seconds(5))) == .wait(.seconds(5)))
    #expect(advice(for: AuthenticatorError(.deviceNotRegistered)) == .bindAgain)
    #expect(advice(for: CancellationError()) == .nothing)
    #expect(advice(for: Foreign()) == .report)
  }
}
