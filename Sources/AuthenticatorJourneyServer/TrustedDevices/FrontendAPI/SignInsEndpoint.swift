internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorRelyingParty

/// `/v1/client/sign_ins`: begins a sign-in, issues challenges for it, and takes its first factor.
struct SignInsEndpoint: FrontendEndpoint {
  func respond(to call: inout FrontendCall) async throws -> ServerResponse? {
    let path = call.request.path
    guard path.starts(with: ["client", "sign_ins"]) else { return nil }
    switch (path.count, path.last) {
    case (2, _):
      try call.require("POST")
      return try await create(&call)
    case (4, "prepare_first_factor"):
      try call.require("POST")
      return try await prepare(try state(path[2], call), call)
    case (4, "attempt_first_factor"):
      try call.require("POST")
      return try await attempt(try state(path[2], call), call)
    default: return nil
    }
  }

  // MARK: Beginning

  private func create(_ call: inout FrontendCall) async throws -> ServerResponse {
    let form = try call.request.form()
    let strategy = try strategy(form["strategy"], call)
    let client = try call.ensureClient()
    try await call.checkSingleSession(of: client)
    if strategy == .trustedDevice {
      let id = try form.required("trusted_device_id")
      _ = try await call.activeDevice(id)
      let state = try SignInState(client: client, subject: .device(id), now: call.now, seal: call.services.seal)
      return try await challenge(state, deviceID: id, call)
    }
    let name = try form.required("identifier")
    guard name.utf8.count <= PasswordAuthority.maximumUsernameBytes else {
      throw FrontendFailure(.formParamValueInvalid, "identifier")
    }
    let state = try SignInState(client: client, subject: .name(name), now: call.now, seal: call.services.seal)
    if let password = form["password"] { return try await signIn(state, password: password, call) }
    let resource = state.resource(.waiting(nil), settings: call.settings)
    return try await call.answer(resource, signIn: resource)
  }

  private enum Factor { case password, trustedDevice }

  /// Throws `FrontendFailure` for a strategy that this server has not, and when trusted devices are switched off.
  private func strategy(_ word: String?, _ call: FrontendCall) throws(FrontendFailure) -> Factor {
    guard let word, word != "password" else { return .password }
    guard TrustedDeviceSettings.isTrustedDevice(word) else { throw FrontendFailure(.formParamValueInvalid, "strategy") }
    try call.requireTrustedDevices()
    return .trustedDevice
  }

  /// Throws `FrontendFailure`: `resource_not_found` for an id of another client or none, `verification_expired`.
  private func state(_ id: String, _ call: FrontendCall) throws(FrontendFailure) -> SignInState {
    guard let state = SignInState(id: id, client: try call.requireClient(), seal: call.services.seal) else {
      throw FrontendFailure(.resourceNotFound)
    }
    guard call.now < state.expiresAt else { throw FrontendFailure(.verificationExpired) }
    return state
  }

  // MARK: Trusted device

  private func prepare(_ state: SignInState, _ call: FrontendCall) async throws -> ServerResponse {
    let form = try call.request.form()
    guard try strategy(try form.required("strategy"), call) == .trustedDevice else {
      // A password needs no preparation.
      throw FrontendFailure(.formParamValueInvalid, "strategy")
    }
    return try await challenge(state, deviceID: try await device(state, form, call).id, call)
  }

  private func challenge(
    _ state: SignInState, deviceID: String, _ call: FrontendCall
  ) async throws -> ServerResponse {
    let challenge = try call.services.challenges.make(
      .signIn, binding: ChallengeBinding(clientID: state.clientID, context: state.context), appIdentifier: nil,
      deviceID: deviceID, expiresAt: call.now.advanced(by: call.settings.challengeLifetime))
    let resource = state.resource(.waiting(challenge), settings: call.settings)
    return try await call.answer(resource, signIn: resource)
  }

  /// The credential a form names, when it may go on with this sign-in.
  private func device(
    _ state: SignInState, _ form: FormFields, _ call: FrontendCall
  ) async throws -> TrustedDeviceRecord {
    let id = try form.required("trusted_device_id")
    if case .device(let begun) = state.subject, begun != id {
      throw FrontendFailure(.trustedDeviceBindingMismatch, "trusted_device_id")
    }
    let device = try await call.activeDevice(id)
    if case .name(let name) = state.subject {
      let user = try await call.registry.user(named: name, in: call.realm)
      guard user?.id == device.userID else {
        throw FrontendFailure(.trustedDeviceBindingMismatch, "trusted_device_id")
      }
    }
    return device
  }

  private func attempt(_ state: SignInState, _ call: FrontendCall) async throws -> ServerResponse {
    let form = try call.request.form()
    switch try strategy(try form.required("strategy"), call) {
    case .password: return try await signIn(state, password: try form.required("password"), call)
    case .trustedDevice: return try await signIn(state, form, call)
    }
  }

  private func signIn(_ state: SignInState, _ form: FormFields, _ call: FrontendCall) async throws -> ServerResponse {
    let clientData = try form.required("client_data")
    let signature = try form.required("signature")
    let algorithm = try form.required("algorithm")
    let device = try await device(state, form, call)
    let read = try call.challenge(clientData, for: .signIn)
    guard read.binding.clientID == state.clientID, read.binding.context == state.context else {
      throw FrontendFailure(.trustedDeviceBindingMismatch, "client_data")
    }
    guard read.challenge.deviceID == device.id else {
      throw FrontendFailure(.trustedDeviceBindingMismatch, "trusted_device_id")
    }
    try TrustedDeviceProof.check(
      clientData: clientData, signature: signature, algorithm: algorithm,
      by: try TrustedDeviceKey(x963Representation: device.publicKey))
    guard let user = try await call.registry.user(id: device.userID, in: device.realm) else {
      throw FrontendFailure(.trustedDeviceNotRegistered, "trusted_device_id")
    }
    let session = try await call.signIn(
      user, client: state.clientID, strategy: call.settings.strategy.rawValue, device: device.id, challenge: read.use)
    return try await answer(state, session, call)
  }

  // MARK: Password

  private func signIn(_ state: SignInState, password: String, _ call: FrontendCall) async throws -> ServerResponse {
    guard case .name(let name) = state.subject else { throw FrontendFailure(.verificationFailed) }
    let verdict = try await call.passwords.check(
      username: name, password: password, realm: call.realm, peer: call.request.request.peer)
    switch verdict {
    case .accepted(let user):
      return try await answer(
        state, try await call.signIn(user, client: state.clientID, strategy: "password"), call)
    case .refused: throw FrontendFailure(.formPasswordIncorrect, "password")
    case .locked(let seconds):
      call.log(.attemptLocked(realm: call.realm))
      throw FrontendFailure(.userLocked, "identifier", retryAfter: seconds)
    case .inactive: throw FrontendFailure(.userBanned)
    }
  }

  private func answer(
    _ state: SignInState, _ session: ClientSessionRecord, _ call: FrontendCall
  ) async throws -> ServerResponse {
    try await call.answer(state.resource(.complete(session), settings: call.settings))
  }
}
