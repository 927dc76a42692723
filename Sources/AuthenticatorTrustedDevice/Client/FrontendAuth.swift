import AuthenticatorCore

/// Signing in, up and out.
public struct FrontendAuth: Sendable {
  let client: TrustedDeviceClient

  /// The current session as it was last heard of, signed in or not; one whose time is over since is expired. Nil: there
  /// is none.
  /// - Throws: `storageFailed` and its like.
  public var session: FrontendSession? {
    get async throws {
      try await client.state.load()
      return client.state.session
    }
  }

  /// How the last sign-in was made, as the server remembers it; nil: it does not say.
  /// - Throws: `storageFailed` and its like.
  public var lastStrategy: SignIn.Strategy? {
    get async throws {
      try await client.state.load()
      return client.state.current.client?.lastStrategy
    }
  }

  /// Signs in with a trusted device's key: one prompt, one signature over the server's challenge.
  ///
  /// The newest usable credential is taken. When the server answers that it does not know the credential, or the key
  /// here turns out to be void, the credential is removed and the error says so
  /// (`AuthenticatorError.trustedDevice?.removedLocalState`); every other failure keeps it, so offer another way of
  /// signing in beside this one.
  /// - Parameters:
  ///   - id: only this credential.
  ///   - identifierHint: only credentials enrolled with this hint.
  ///   - reason: what the person reads.
  /// - Returns: the sign-in. Anything but `complete` wants more, and is no error.
  /// - Throws: the reason for having nothing to sign in with (`noLocalCredential`, `keyInvalidated`, `lockedOut`,
  ///   `biometryNotEnrolled`, `enrollmentStateUnreadable` …, `trustedDevice?.unavailableReason`); `userCanceled`,
  ///   `userVerificationFailed`, `timedOut`; `credentialGone`; `challengeExpired`, `challengeMismatch`;
  ///   `sessionChanged`; other refusals; `transportFailed`.
  @discardableResult
  public func signInWithTrustedDevice(
    id: String? = nil, identifierHint: String? = nil, reason: String? = nil
  ) async throws -> SignIn {
    try await client.operations.run {
      try await client.started()
      return try await client.signIn(id: id, hint: identifierHint, reason: reason)
    }
  }

  /// Signs in with a password.
  /// - Parameter identifier: email address, phone number or user name.
  /// - Returns: the sign-in. Anything but `complete` wants more, and is no error.
  /// - Throws: `invalidRequest` for an empty password; `factorRefused`, `alreadySignedIn`, `accountLocked` and other
  ///   refusals; `transportFailed`.
  @discardableResult
  public func signIn(identifier: String, password: String) async throws -> SignIn {
    try await client.startedIfFree()
    return try await client.signIn(identifier: identifier, password: password)
  }

  /// Signs up with a password.
  /// - Returns: the sign-up. Anything but `complete` wants more, and is no error.
  /// - Throws: `invalidRequest` for an empty password; `requestRefused`, `alreadySignedIn` and other refusals;
  ///   `transportFailed`.
  @discardableResult
  public func signUp(
    emailAddress: String? = nil, phoneNumber: String? = nil, username: String? = nil, password: String? = nil
  ) async throws -> SignUp {
    try await client.startedIfFree()
    return try await client.signUp(
      emailAddress: emailAddress, phoneNumber: phoneNumber, username: username, password: password)
  }

  /// Ends the current session, or with `everywhere` all sessions of this client. Credentials stay: signing in with them
  /// is what they are for. Where this client knows of no session the server is asked: the answer that told of one may
  /// have been lost. Nobody signed in is no error.
  ///
  /// May be called while a prompt is shown: what the prompt is for ends as `sessionChanged`.
  /// - Throws: a refusal of the server; `transportFailed`: the session may live on then; `storageFailed` when the
  ///   sign-out would be forgotten by the next run.
  public func signOut(everywhere: Bool = false) async throws { _ = try await client.endSession(everywhere: everywhere) }
}
