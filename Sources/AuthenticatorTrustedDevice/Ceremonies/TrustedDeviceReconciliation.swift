import AuthenticatorCore

/// What `reconcile()` did.
public struct TrustedDeviceReconciliation: Sendable {
  /// A credential that went, and why.
  public struct Removal: Hashable, Sendable {
    /// The server's name of it.
    public let id: String
    /// Why it went.
    public let reason: TrustedDeviceEvent.RemovalReason

    package init(id: String, reason: TrustedDeviceEvent.RemovalReason) {
      self.id = id
      self.reason = reason
    }
  }

  /// Whether the server was asked for its list: somebody is signed in, and active or something was left to settle.
  public internal(set) var askedServer = false
  /// Interrupted enrollments that the server had accepted: usable now.
  public internal(set) var enrolled: [String] = []
  /// Interrupted enrollments that the server did not accept: nothing of them is left.
  public internal(set) var undone = 0
  /// Credentials removed from this installation.
  public internal(set) var removed: [Removal] = []
  /// Credentials revoked on the server because their keys here are lost, or were never kept.
  public internal(set) var revoked: [String] = []
  /// Credentials in the server's list that an interrupted enrollment of this installation may have made. They may as
  /// well be another installation's, so they were left; the person can tell, and revoke them.
  public internal(set) var unclaimed: [String] = []
  /// How many things are still open.
  public internal(set) var pending = 0
  /// What failed on the way.
  public internal(set) var failures: [AuthenticatorError] = []

  /// Takes a failure up: what it was about is still open.
  mutating func note(_ error: AuthenticatorError) {
    failures.append(error)
    pending += 1
  }

  /// Counts what only a session of its user can settle.
  mutating func countLeftovers(of shelf: CredentialShelf) async throws {
    guard !shelf.scope.party.isEmpty else { return }
    for record in try await shelf.store.records(matching: shelf.scope.query(states: [.staged, .revoking])) {
      // A key of which no server has heard is the local clean-up's, once its time is over.
      let isMarked = try await shelf.store.item(AttemptMark.item(of: record.tag)) != nil
      if record.state == .revoking || isMarked || !shelf.isPast(record) { pending += 1 }
    }
    for entry in try await PendingWork(shelf.store, scope: shelf.scope).entries() {
      if case .revocation = entry { pending += 1 }
    }
  }
}
