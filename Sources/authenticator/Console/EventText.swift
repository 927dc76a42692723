import AuthenticatorCore

/// Audit events as lines of the trace.
enum EventText {
  static func line(_ event: AuthenticatorEvent) -> String {
    switch event {
    case .verified(let level, let methods, let isReused):
      let words = methods.map(\.rawValue).sorted().joined(separator: ", ")
      return "verified to \(level) by \(words.isEmpty ? "nothing" : words)\(isReused ? ", handed over" : "")"
    case .verificationFailed(let code): return "not verified: \(code)"
    case .attemptFailed(let remaining): return "wrong, tries left: \(remaining.map(String.init) ?? "unknown")"
    case .lockedOut: return "locked out"
    case .keyStaged(let tag, let authenticator, let family, let protection):
      return "key \(tag) staged: \(family), \(authenticator), \(protection.name)"
    case .keyCommitted(let tag, let retired):
      return "key \(tag) is active" + (retired.map { ", \($0) is retired" } ?? "")
    case .keyDiscarded(let tag): return "key \(tag) discarded"
    case .keyRestored(let tag): return "key \(tag) restored"
    case .keyDeleted(let tag): return "key \(tag) deleted"
    case .keyUsed(let tag): return "key \(tag) signed"
    case .enrollmentChanged(let tag, let policy): return "the enrolled set of key \(tag) changed (\(policy.rawValue))"
    case .recordSetAside(let reason): return "a record was set aside: \(reason)"
    }
  }
}
