internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// `POST /v1/client/sign_ups`: makes an account of a name and a password, and signs it in.
struct SignUpsEndpoint: FrontendEndpoint {
  private static let shortestPassword = 8

  func respond(to call: inout FrontendCall) async throws -> ServerResponse? {
    guard call.request.path == ["client", "sign_ups"] else { return nil }
    try call.require("POST")
    guard call.settings.signUp else { throw FrontendFailure(.signUpModeRestricted) }
    let form = try call.request.form()
    let name = try form.required("username")
    let password = try form.required("password")
    guard name.utf8.count <= PasswordAuthority.maximumUsernameBytes, DisplayText.visible(name) == name else {
      throw FrontendFailure(.formParamValueInvalid, "username")
    }
    guard password.count >= Self.shortestPassword else {
      throw FrontendFailure(.formPasswordLengthTooShort, "password")
    }
    guard password.utf8.count <= PasswordAuthority.maximumPasswordBytes else {
      throw FrontendFailure(.formParamValueInvalid, "password")
    }
    let client = try call.ensureClient()
    try await call.checkSingleSession(of: client)
    let user = try await makeUser(name, password, call)
    let session = try await call.signIn(user, client: client.digest, strategy: "password")
    return try await call.answer(Self.resource(user, session))
  }

  /// Accounts that strangers make are paid for like wrong passwords: by address, and with a derivation each.
  private func makeUser(_ name: String, _ password: String, _ call: FrontendCall) async throws -> UserRecord {
    let peer = call.request.request.peer
    try call.passwords.addresses.check(peer, now: call.now)
    call.passwords.addresses.countFailure(peer, now: call.now)
    guard try await call.registry.user(named: name, in: call.realm) == nil else {
      throw FrontendFailure(.formIdentifierExists, "username")
    }
    let user = UserRecord(
      id: UUIDText.make(from: try call.services.environment.random(16)), realm: call.realm, name: name,
      password: try await call.passwords.hash(password))
    do {
      guard try await call.registry.addUser(user, limit: call.settings.maximumUsers) else {
        throw FrontendFailure(.userQuotaExceeded)
      }
    } catch let error as RegistryError where error.code == .conflict {
      throw FrontendFailure(.formIdentifierExists, "username")
    }
    return user
  }

  private static func resource(_ user: UserRecord, _ session: ClientSessionRecord) -> JSONValue {
    let id = Base64URL.encode(SHA256.hash(Array(session.id.utf8)).prefix(16))
    return [
      "object": "sign_up_attempt", "id": .string("sua_" + id), "status": "complete",
      "required_fields": ["username", "password"], "optional_fields": [], "missing_fields": [],
      "unverified_fields": [], "verifications": [:], "username": .string(user.name), "email_address": .null,
      "phone_number": .null, "password_enabled": true, "created_session_id": .string(session.id),
      "created_user_id": .string(user.id), "abandon_at": session.expiresAt.json,
    ]
  }
}
