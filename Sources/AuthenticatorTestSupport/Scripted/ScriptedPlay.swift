import AuthenticatorCore
import AuthenticatorCrypto

/// What a step does to a prompt.
enum Reaction<Value> {
  /// The prompt has no control for it.
  case passedOver
  /// The prompt stays.
  case goesOn
  case succeeded(Value, result: String)
  case failed(AuthenticatorError)
}

/// How one kind of prompt reacts to what the person does.
protocol ScriptedPlay {
  associatedtype Value: Sendable
  mutating func react(to step: ScriptedStep, body: inout ScriptedBody) throws -> Reaction<Value>
}

/// A verification by a sensor, the passcode or both.
struct VerificationPlay: ScriptedPlay {
  /// Touches and entries that may go wrong in one prompt.
  static let missesPerPrompt = ScriptedUserVerifier.missesPerPrompt

  var takesTouches: Bool
  let takesPasscode: Bool
  let hasFallbackButton: Bool
  private var misses = 0

  init(takesTouches: Bool, takesPasscode: Bool, hasFallbackButton: Bool) {
    self.takesTouches = takesTouches
    self.takesPasscode = takesPasscode
    self.hasFallbackButton = hasFallbackButton
  }

  mutating func react(to step: ScriptedStep, body: inout ScriptedBody) throws -> Reaction<VerificationMethod> {
    switch step {
    case .match(let finger) where takesTouches:
      guard try body.touch(finger: finger) else { return missed(body) }
      return .succeeded(body.device.sensor.method ?? .fingerprint, result: "success")
    case .mismatch where takesTouches:
      try body.miss()
      return missed(body)
    case .passcode(let text) where takesPasscode:
      guard try body.enter(passcode: text) else { return missed(body) }
      return .succeeded(.passcode, result: "success")
    case .fallback where takesPasscode:
      // The way to the passcode: the reader is put away.
      takesTouches = false
      return .goesOn
    case .fallback where hasFallbackButton: return .failed(AuthenticatorError(.fallbackRequested, stage: "scripted"))
    case .sensorUnavailable where takesTouches:
      takesTouches = false
      return takesPasscode ? .goesOn : .failed(AuthenticatorError(.verifierUnavailable, stage: "scripted"))
    default: return .passedOver
    }
  }

  private mutating func missed(_ body: ScriptedBody) -> Reaction<VerificationMethod> {
    misses += 1
    if body.isLockedOut, takesTouches {
      takesTouches = false
      guard takesPasscode else { return .failed(AuthenticatorError(.lockedOut, stage: "scripted")) }
    }
    guard misses < Self.missesPerPrompt else {
      let remaining = max(0, ScriptedBody.missesUntilLock - body.failedAttempts)
      return .failed(
        AuthenticatorError(
          .userVerificationFailed, stage: "scripted", attemptsRemaining: body.device.sensor == .none ? nil : remaining))
    }
    return .goesOn
  }
}

/// Somebody is there: any touch, or a yes.
struct PresencePlay: ScriptedPlay {
  mutating func react(to step: ScriptedStep, body: inout ScriptedBody) -> Reaction<VerificationMethod> {
    switch step {
    case .match, .mismatch, .approve: .succeeded(.presence, result: "success")
    case .refuse: .failed(AuthenticatorError(.userCanceled, stage: "scripted"))
    default: .passedOver
    }
  }
}

/// The entry of an application PIN. Whether it is right is not known here.
struct PINPlay: ScriptedPlay {
  mutating func react(to step: ScriptedStep, body: inout ScriptedBody) -> Reaction<SecretBytes> {
    guard case .pin(let text) = step else { return .passedOver }
    return .succeeded(SecretBytes(Array(text.text.utf8)), result: "entered")
  }
}

/// A choice among options.
struct ChoicePlay: ScriptedPlay {
  let options: [String]

  mutating func react(to step: ScriptedStep, body: inout ScriptedBody) -> Reaction<String> {
    switch step {
    case .choose(let option) where options.contains(option): .succeeded(option, result: option)
    case .choose:
      .failed(
        AuthenticatorError(.invalidRequest, stage: "scripted", reason: "the script chooses what is not offered"))
    case .refuse: .failed(AuthenticatorError(.userCanceled, stage: "scripted"))
    default: .passedOver
    }
  }
}

/// A yes or a no.
struct ApprovalPlay: ScriptedPlay {
  mutating func react(to step: ScriptedStep, body: inout ScriptedBody) -> Reaction<Bool> {
    switch step {
    case .approve: .succeeded(true, result: "approved")
    case .refuse: .succeeded(false, result: "refused")
    default: .passedOver
    }
  }
}
