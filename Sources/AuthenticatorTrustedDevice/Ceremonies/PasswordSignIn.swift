import AuthenticatorCore

extension TrustedDeviceClient {
  func signIn(identifier: String, password: String) async throws -> SignIn {
    let answer = try await api.send(
      FrontendRequest(
        "POST", "client", "sign_ins",
        form: [
          ("strategy", SignIn.Strategy.password.rawValue), ("identifier", identifier), ("password", password),
          ("locale", configuration.locale),
        ], retrying: .never))
    let signIn = try SignIn(try answer.object("sign-in"))
    await announce(signIn)
    if signIn.status == .complete { await settleIfFree() }
    return signIn
  }

  func signUp(
    emailAddress: String?, phoneNumber: String?, username: String?, password: String?
  ) async throws -> SignUp {
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
    emit(.signedUp(sessionID: signUp.createdSessionID))
    await settleIfFree()
    return signUp
  }

  func signOut(everywhere: Bool) async throws {
    try await state.load()
    let session = state.session
    guard everywhere || session != nil else { return }
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
      guard state.session?.id == session?.id, session != nil else {
        return try await finishSignOut(everywhere, session)
      }
      throw error
    }
    try await finishSignOut(everywhere, session)
  }

  private func finishSignOut(_ everywhere: Bool, _ session: FrontendSession?) async throws {
    state.end(session: everywhere ? nil : session?.id)
    try await state.save()
    emit(.signedOut(sessionID: everywhere ? nil : session?.id))
  }
}
