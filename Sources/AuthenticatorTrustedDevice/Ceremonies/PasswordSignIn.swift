import AuthenticatorCore

extension TrustedDeviceClient {
  func signIn(identifier: String, password: String) async throws -> SignIn {
    try Self.check(password)
    let answer = try await api.send(
      FrontendRequest(
        "POST", "client", "sign_ins",
        form: [
          ("strategy", SignIn.Strategy.password.rawValue), ("identifier", identifier), ("password", password),
          ("locale", configuration.locale),
        ], retrying: .never))
    let signIn = try SignIn(try answer.object("sign-in"))
    if signIn.status == .complete { await knowSession(signIn.createdSessionID) }
    await announce(signIn)
    if signIn.status == .complete { await settleIfFree() }
    return signIn
  }

  /// Servers take an empty password for none, and then want one.
  private static func check(_ password: String?) throws {
    guard password?.isEmpty != true else {
      throw AuthenticatorError(.invalidRequest, stage: "signIn", reason: "the password is empty")
    }
  }

  /// After a sign-in or sign-up that is complete: the client comes along with the answer, or is asked for.
  func knowSession(_ id: String?) async {
    let sessions = state.current.client?.sessions ?? []
    guard !sessions.contains(where: { id == nil ? $0.isSignedIn : $0.id == id }) else { return }
    await api.refreshQuietly()
  }

  func signUp(
    emailAddress: String?, phoneNumber: String?, username: String?, password: String?
  ) async throws -> SignUp {
    try Self.check(password)
    let answer = try await api.send(
      FrontendRequest(
        "POST", "client", "sign_ups",
        form: [
          ("email_address", emailAddress), ("phone_number", phoneNumber), ("username", username),
          ("password", password), ("locale", configuration.locale),
        ], retrying: .never))
    let signUp = try SignUp(try answer.object("sign-up"))
    guard signUp.status == .complete else {
      emit(.signUpNeedsContinuation(signUp.status))
      return signUp
    }
    await knowSession(signUp.createdSessionID)
    emit(.signedUp(sessionID: signUp.createdSessionID))
    await settleIfFree()
    return signUp
  }

  /// - Returns: the session that was current; nil: there was none.
  package func endSession(everywhere: Bool) async throws -> FrontendSession? {
    try await state.load()
    // Without a token the server knows nobody here. With one it may know a session that this client never heard of.
    guard state.current.token != nil else {
      let session = state.session
      if session != nil { try await finishSignOut(everywhere, session) }
      return session
    }
    if state.session == nil {
      do { try await api.refreshClient() } catch {
        // All of them can be ended unseen.
        guard everywhere else { throw error }
      }
    }
    let session = state.session
    guard everywhere || session != nil else { return nil }
    let request =
      if !everywhere, let session {
        FrontendRequest("POST", "client", "sessions", session.id, "remove", retrying: .once)
      } else {
        FrontendRequest("DELETE", "client", "sessions", retrying: .once)
      }
    do {
      _ = try await api.send(request)
    } catch let error as AuthenticatorError where error.code == .resourceNotFound || error.code == .signedOut {
      // The server has no such session any more, which is what was wanted; it was asked for the client already.
      guard state.session?.id != session?.id || session == nil else { throw error }
    }
    try await finishSignOut(everywhere, session)
    return session
  }

  private func finishSignOut(_ everywhere: Bool, _ session: FrontendSession?) async throws {
    state.end(session: everywhere ? nil : session?.id)
    try await state.save()
    emit(.signedOut(sessionID: everywhere ? nil : session?.id))
  }
}
