import AuthenticatorCore

extension TrustedDeviceClient {
  func reconcile() async throws -> TrustedDeviceReconciliation {
    // The first look at what earlier runs have left is this one, so that what it finishes is reported.
    var local = try await startAnew()
    await api.refreshIfRunOut()
    guard !scope.party.isEmpty, let session = state.session, session.isSignedIn, let userID = session.user?.id else {
      try await local.countLeftovers(of: shelf)
      return local
    }
    var settlement = Settlement(client: self, sessionID: session.id, userID: userID, report: local)
    return try await settlement.reconcile(isActive: session.status == .active)
  }

  /// Settles what earlier runs have left for the signed-in user. Asks the server only when something is left; what
  /// fails is reported and tried again.
  func settleQuietly() async {
    await api.refreshIfRunOut()
    guard !scope.party.isEmpty, let session = state.session, session.isSignedIn, let userID = session.user?.id
    else { return }
    do {
      var settlement = Settlement(client: self, sessionID: session.id, userID: userID)
      try await settlement.settleLeftovers()
    } catch {
      emit(.postponed(.settlement, code: CredentialShelf.code(of: error)))
    }
  }

  /// The same, unless an operation is under way that does it itself.
  func settleIfFree() async {
    do {
      _ = try await operations.runIfFree {
        try await started()
        await settleQuietly()
      }
    } catch {
      emit(.postponed(.settlement, code: CredentialShelf.code(of: error)))
    }
  }

  /// What became of an attempt without an answer.
  enum Recovery: Sendable {
    /// The server made a credential of it, which is committed.
    case enrolled(TrustedDevice)
    /// It is not in the server's list.
    case absent
    /// The list could not be had, or what is in it cannot be told apart.
    case unknown
  }

  /// Looks in the server's list for what an attempt without an answer may have made.
  func recover(_ tag: KeyTag, sessionID: String, userID: String) async -> Recovery {
    var settlement = Settlement(client: self, sessionID: sessionID, userID: userID)
    do {
      guard let record = try await shelf.store.record(tag) else { return .unknown }
      if let device = try await settlement.settle(staged: record, isOwn: true) { return .enrolled(device) }
      return settlement.report.failures.isEmpty && !settlement.isAmbiguous ? .absent : .unknown
    } catch {
      emit(.postponed(.settlement, code: CredentialShelf.code(of: error)))
      return .unknown
    }
  }
}
