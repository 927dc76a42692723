import AuthenticatorCore
import AuthenticatorTrustedDevice

/// Events of a trusted-device client as lines of the trace.
enum TrustedDeviceEventText {
  /// Traces events, and says aloud what nobody has asked for.
  static func reporter(on console: Console) -> @Sendable (TrustedDeviceEvent) -> Void {
    { event in
      if case .installationReplaced = event { console.say("\(line(event)); enroll this device again") }
      console.trace("event: \(line(event))")
    }
  }

  static func line(_ event: TrustedDeviceEvent) -> String {
    switch event {
    case .enrolled(let id, let isRecovered): "\(id) is enrolled\(isRecovered ? ", by an earlier run" : "")"
    case .enrollmentUndone: "an interrupted enrollment was undone"
    case .removed(let id, let reason): "\(id) is removed here: \(reason.rawValue)"
    case .orphanRevoked(let id): "\(id) is revoked on the server"
    case .unclaimed(let id): "\(id) may be this one's or another's, and is left"
    case .signedIn: "signed in"
    case .signInNeedsContinuation(let status): "the sign-in wants more: \(status)"
    case .signedUp: "signed up"
    case .signUpNeedsContinuation(let status): "the sign-up wants more: \(status)"
    case .signedOut: "signed out"
    case .sessionChanged: "another session is current"
    case .installationReplaced(let removed): "keys of an earlier installation removed: \(removed)"
    case .recordSetAside(let reason): "a record was set aside: \(reason)"
    case .postponed(let task, let code): "postponed: \(task.rawValue), \(code)"
    }
  }
}
