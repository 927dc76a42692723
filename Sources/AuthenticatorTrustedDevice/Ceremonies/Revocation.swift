import AuthenticatorCore

extension TrustedDeviceClient {
  /// The server first; what is here only after its definite answer.
  func revoke(id: String) async throws -> TrustedDevice {
    guard MemberReader.isIdentifier(id) else {
      throw AuthenticatorError(.invalidRequest, stage: "revoke", reason: "the credential's name is malformed")
    }
    let session = state.session
    let local = try await localCredential(id, of: session?.user?.id)
    do {
      guard let local else { return try await deleteOnServer(id, sessionID: session?.id) }
      let device = try await revokeOnServer(id, sessionID: session?.id)
      // Not known to the server, and here: somebody was faster.
      await shelf.removeOrPostpone(local, device == nil ? .missingOnServer : .revoked)
      return device ?? local.revoked
    } catch var error as AuthenticatorError where error.code == .resourceNotFound || error.code == .credentialGone {
      error.reason = "the server found no trusted device \(id) of the signed-in user"
      throw error
    }
  }

  /// Deletes a credential on the server; one that is not there is no error.
  /// - Returns: the device as the server describes it; nil: there is none.
  /// - Throws: `invalidMessage` for an answer that is about another device, or does not say that it is revoked.
  func revokeOnServer(_ id: String, sessionID: String?) async throws -> TrustedDevice? {
    do {
      return try await deleteOnServer(id, sessionID: sessionID)
    } catch let error as AuthenticatorError {
      guard let refusal = error.frontendError else { throw error }
      if refusal.isCredentialMissing { return nil }
      guard refusal.saysSomethingIsMissing, try await isUnlisted(id, sessionID: sessionID, after: error) else {
        throw error
      }
      return nil
    }
  }

  /// The same, with every refusal as an error.
  func deleteOnServer(_ id: String, sessionID: String?) async throws -> TrustedDevice {
    let answer = try await api.send(
      FrontendRequest("DELETE", "me", configuration.urlFamily.rawValue, id, sessionID: sessionID, retrying: .once))
    let device = try TrustedDevice(try answer.object("trusted device"))
    guard device.id == id, device.status == .revoked else {
      throw AuthenticatorError(
        .invalidMessage, stage: "revoke",
        reason: "the server's answer is about another device, or does not say that it is revoked")
    }
    return device
  }

  /// After an answer that says that something is missing, and not what: whether the list lacks the credential.
  /// - Throws: `error` when the list cannot be had.
  private func isUnlisted(_ id: String, sessionID: String?, after error: AuthenticatorError) async throws -> Bool {
    do {
      return try await !fetchList(sessionID: sessionID).contains { $0.id == id && $0.status == .active }
    } catch {
      emit(.postponed(.revocation, code: CredentialShelf.code(of: error)))
    }
    throw error
  }

  private func localCredential(_ id: String, of userID: String?) async throws -> LocalCredential? {
    guard !scope.party.isEmpty else { return nil }
    let records = try await shelf.store.records(
      matching: scope.query(id: id, states: [.active, .retired, .revoking]))
    // Another user's record is never touched, whatever name the server gives.
    return shelf.read(records).first { $0.id == id && (userID == nil || $0.userID == userID) }
  }

  func revokeCurrent() async throws -> TrustedDevice? {
    let session = try await signedInSession()
    guard let userID = session.user?.id else {
      throw AuthenticatorError(.signedOut, stage: "revoke", reason: "the session has no user")
    }
    guard let credential = try await shelf.active(userID: userID).first(where: { $0.userID == userID }) else {
      return nil
    }
    guard !credential.details.isUnproven else {
      throw AuthenticatorError(
        .unclaimed, stage: "revoke",
        reason: "it is not certain which of the listed credentials is this installation's; sign in with it, or choose")
    }
    return try await revoke(id: credential.id)
  }

  func forget(userID: String) async throws -> ForgottenCredentials {
    guard !scope.party.isEmpty else { return ForgottenCredentials(ids: [], unnamed: 0) }
    let records = try await shelf.store.records(matching: scope.query(user: userID, states: .everyState))
    var ids: [String] = []
    var unnamed = 0
    var failure: (any Error)?
    for record in records where record.owner.account == Array(userID.utf8) {
      let (store, tag) = (shelf.store, record.tag)
      do {
        try await Turnstile.shielded { try await store.delete(tag) }
        guard let credential = shelf.read([record].filter { $0.externalID != nil }).first else {
          unnamed += 1
          continue
        }
        ids.append(credential.id)
        emit(.removed(id: credential.id, reason: .forgotten))
        try await CredentialIndex(shelf.store, scope: scope).remove(userID, hint: credential.attributes.hint)
      } catch {
        failure = failure ?? error
        emit(.postponed(.removal, code: CredentialShelf.code(of: error)))
        await shelf.listForRemoval(tag)
      }
    }
    // The account may be gone: what was to be revoked on the server in its name never can be.
    do {
      let work = PendingWork(shelf.store, scope: scope)
      for entry in try await work.entries() {
        guard case .revocation(_, userID) = entry else { continue }
        try await Turnstile.shielded { try await work.remove(entry) }
      }
    } catch {
      failure = failure ?? error
    }
    if let failure { throw AuthenticatorError.wrapping(failure, as: .storageFailed, stage: "forget") }
    return ForgottenCredentials(ids: ids, unnamed: unnamed)
  }
}

extension FrontendAPIError {
  /// Whether the server, in its own form, says that there is no such thing; a bare 404 of some proxy is not that.
  fileprivate var saysSomethingIsMissing: Bool {
    status == 404 && (has("resource_not_found") || has("form_resource_not_found"))
  }
}

extension LocalCredential {
  /// What is known here of a credential that the server does not know any more; when it went is not.
  fileprivate var revoked: TrustedDevice {
    TrustedDevice(
      id: id, platform: TrustedDevice.Platform(rawValue: attributes.platform), appIdentifier: record.owner.party,
      name: attributes.name, status: .revoked, createdAt: details.createdAt, updatedAt: details.updatedAt)
  }
}
