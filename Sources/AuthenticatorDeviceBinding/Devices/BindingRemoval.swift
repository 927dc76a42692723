import AuthenticatorCore

/// What became of the two halves of an unbinding.
public struct BindingRemoval: Sendable {
  /// One half.
  public enum Half: Sendable {
    /// It is gone.
    case removed
    /// There was nothing.
    case absent
    /// It is still there, and why. An unfinished half is tried again by `BindingDevices.reconcile()`.
    case pending(AuthenticatorError)

    /// Whether nothing is left of it.
    public var isDone: Bool {
      if case .pending = self { false } else { true }
    }
  }

  /// The server's entry.
  public let remote: Half
  /// The key on this device.
  public let local: Half

  /// Whether nothing is left on either side.
  public var isComplete: Bool { remote.isDone && local.isDone }
}

/// What `BindingDevices.reconcile()` did, by key.
public struct BindingReconciliation: Sendable {
  /// Staged keys that the server had accepted: active now.
  public var committed: [KeyTag] = []
  /// Staged keys that the server does not know, past their time limit: destroyed.
  public var discarded: [KeyTag] = []
  /// Retired keys that the server still lists while their successor is unknown to it: active again.
  public var restored: [KeyTag] = []
  /// Keys destroyed here because the server has no entry, or no longer has one.
  public var deleted: [KeyTag] = []
  /// Keys whose fate is open: staged within their time limit, just made, or a half that failed again.
  public var pending: [KeyTag] = []
  /// What failed on the way; the keys concerned are among `pending`.
  public var failures: [AuthenticatorError] = []
}
