import AuthenticatorCore

/// The trusted devices: this installation's own credentials, and the signed-in user's on the server.
public struct TrustedDevices: Sendable {
  let client: TrustedDeviceClient

  /// Enrolls this installation for the signed-in user: makes a key, has the person agree to it, and registers it with
  /// the server.
  ///
  /// The key replaces the user's former one on this installation once the server has accepted it. When anything fails,
  /// nothing of it is left and the former one works on; when it cannot be told whether the server accepted, the list is
  /// looked at, and failing that the enrollment is settled as soon as the user is signed in again.
  /// - Parameters:
  ///   - deviceName: what the server lists it as; nil: the environment's device name; empty: none.
  ///   - identifierHint: tells users' credentials apart at sign-in (an email address, say). Kept here, never sent.
  ///   - reason: what the person reads.
  ///   - policy: how the key opens; nil: the configuration's.
  /// - Throws: `signedOut` unless the session is active or pending; `environmentUnavailable`, `nativeAPIDisabled`,
  ///   `featureDisabled`; `unsupported` without app identifier; `biometryNotEnrolled`, `verifierUnavailable`,
  ///   `lockedOut`, `hardwareRequired` when no such key can be made here; `userCanceled`, `userVerificationFailed`,
  ///   `timedOut`; `sessionChanged` when session or user changed meanwhile; `overtaken` when another process has
  ///   enrolled this installation meanwhile, and the server keeps that; `challengeExpired`, `challengeMismatch`,
  ///   `quotaExceeded`, `alreadyEnrolled`, `appIdentifierRefused` and other refusals of the server; `transportFailed`;
  ///   `storageFailed`.
  @discardableResult
  public func enroll(
    deviceName: String? = nil, identifierHint: String? = nil, reason: String? = nil,
    policy: TrustedDevicePolicy? = nil
  ) async throws -> TrustedDevice {
    try await client.operations.run {
      try await client.enroll(deviceName: deviceName, hint: identifierHint, reason: reason, policy: policy)
    }
  }

  /// Whether this installation could sign in now. Deletes nothing.
  ///
  /// While nobody is signed in, or tasks remain, only local state is looked at; while somebody is, the server is asked
  /// whether it still accepts the credential. Where the session seems to be over, the server is asked once whether it
  /// is.
  /// - Parameters:
  ///   - id: only this credential.
  ///   - identifierHint: only credentials enrolled with this hint.
  /// - Throws: `storageFailed` and its like, `transportFailed`, or the code of a refusal, when it cannot be told.
  public func availability(
    id: String? = nil, identifierHint: String? = nil
  ) async throws -> TrustedDeviceAvailability {
    try await client.state.load()
    return try await client.select(id: id, hint: identifierHint, asksServer: true).availability
  }

  /// The same from local state alone, also while somebody is signed in.
  /// - Throws: `storageFailed` and its like, when it cannot be told.
  public func localAvailability(
    id: String? = nil, identifierHint: String? = nil
  ) async throws -> TrustedDeviceAvailability {
    try await client.state.load()
    return try await client.select(id: id, hint: identifierHint, asksServer: false).availability
  }

  /// Whether this installation could be enrolled under a policy. Silent, makes nothing, asks no server.
  /// - Parameter policy: nil: the configuration's.
  public func enrollmentAvailability(policy: TrustedDevicePolicy? = nil) async -> TrustedDeviceAvailability {
    await client.enrollmentAvailability(policy: policy ?? client.configuration.defaultPolicy)
  }

  /// Brings this installation and the server together: finishes or undoes interrupted enrollments, finishes revocations
  /// and removals, removes credentials the server does not accept any more, and revokes those whose key here is lost.
  ///
  /// In a session with tasks left, interrupted enrollments and revocations are finished and nothing else; without a
  /// session only the local part is done. Credentials of other users are left alone.
  /// - Throws: as `list()`; what fails for one credential is reported instead.
  @discardableResult
  public func reconcile() async throws -> TrustedDeviceReconciliation {
    try await client.operations.run { try await client.reconcile() }
  }

  /// The signed-in user's trusted devices, on all installations.
  /// - Throws: `signedOut` and other refusals of the server; `transportFailed`; `invalidMessage`.
  public func list() async throws -> [TrustedDevice] {
    try await client.startedIfFree()
    await client.settleIfFree()
    return try await client.fetchList(sessionID: client.state.session?.id)
  }

  /// What the server says of each credential of this installation, whoever's it is. Deletes nothing.
  ///
  /// The list of whoever is signed in is asked for; about the credentials of others, and while nobody is signed in, the
  /// server is asked one by one, which needs no session.
  /// - Returns: one entry for each credential, offered or not; none for keys that an earlier installation has left.
  /// - Throws: refusals of the server; `transportFailed`; `invalidMessage`; `storageFailed` and its like.
  public func standings() async throws -> [TrustedDeviceStanding] { try await client.standings() }

  /// Revokes a trusted device of the signed-in user: on the server first, then, if it is this installation's, the key
  /// and record here.
  ///
  /// A key here that cannot be destroyed at once is no longer offered and destroyed later. When the server says that it
  /// does not know a credential of this installation, or its list lacks one that it could not find, what is here goes
  /// as well.
  /// - Returns: the device as the server describes it; one that it does not know any more as it is known here.
  /// - Throws: `signedOut` and other refusals of the server; `transportFailed`; `invalidMessage` for an answer about
  ///   another device, or one that does not say that it is revoked: what is here is untouched then.
  @discardableResult
  public func revoke(id: String) async throws -> TrustedDevice {
    try await client.operations.run {
      try await client.started()
      return try await client.revoke(id: id)
    }
  }

  /// Revokes the signed-in user's credential of this installation, usable or not.
  /// - Returns: nil, and no request is made, when there is none.
  /// - Throws: `signedOut` unless the session is active or pending; `unclaimed` for one that was recovered from the
  ///   server's list alone and has not signed yet: it may be another installation's; as `revoke(id:)`.
  @discardableResult
  public func revokeCurrentDeviceCredential() async throws -> TrustedDevice? {
    try await client.operations.run {
      try await client.started()
      return try await client.revokeCurrent()
    }
  }

  /// Removes a user's credentials from this installation, after the account was deleted, say. Needs no session.
  ///
  /// The server is not told: a credential that it still has remains there until it is revoked. What cannot be destroyed
  /// at once is no longer offered and destroyed later.
  /// - Throws: the first failure, after all were tried.
  @discardableResult
  public func forgetLocalCredentials(userID: String) async throws -> ForgottenCredentials {
    try await client.operations.run {
      try await client.started()
      return try await client.forget(userID: userID)
    }
  }

  /// Asks the server, without a session, whether it still accepts the credential that would sign in. One that it does
  /// not know is removed here, and the next older one is asked about.
  /// - Parameters:
  ///   - id: only this credential.
  ///   - identifierHint: only credentials enrolled with this hint.
  public func validateLocalCredential(
    id: String? = nil, identifierHint: String? = nil
  ) async -> TrustedDeviceValidation {
    do {
      return try await client.operations.run {
        try await client.started()
        return try await client.validate(id: id, hint: identifierHint)
      }
    } catch {
      return .inconclusive
    }
  }
}

/// What `validateLocalCredential` found.
public enum TrustedDeviceValidation: Hashable, Sendable {
  /// The server accepts the credential.
  case valid
  /// It does not, or there is none.
  case invalid(TrustedDeviceAvailability.UnavailableReason)
  /// It cannot be told: what is here stays.
  case inconclusive
}

/// What `forgetLocalCredentials` removed. The server's credentials are untouched.
public struct ForgottenCredentials: Hashable, Sendable {
  /// The server's names of the credentials whose keys are gone here. Whatever the server still has of them remains
  /// there until it is revoked.
  public let ids: [String]
  /// How many keys are gone that have no name yet: of enrollments that were interrupted.
  public let unnamed: Int
  /// How many keys are gone.
  public var count: Int { ids.count + unnamed }
}
