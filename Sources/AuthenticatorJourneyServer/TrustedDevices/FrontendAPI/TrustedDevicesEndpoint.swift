internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorRelyingParty

/// `/v1/me/trusted_devices`: enrolls, lists and revokes the credentials of the session's user.
struct TrustedDevicesEndpoint: FrontendEndpoint {
  func respond(to call: inout FrontendCall) async throws -> ServerResponse? {
    let path = call.request.path
    guard (2...3).contains(path.count), path[0] == "me", call.isDevices(path[1]) else { return nil }
    switch (path.count, path.last, call.request.method) {
    case (2, _, "GET"): return try await list(call)
    case (2, _, _): throw FrontendFailure(.methodNotAllowed)
    case (_, "prepare", "POST"): return try await prepare(call)
    case (_, "attempt", "POST"): return try await attempt(call)
    case (_, let id?, "DELETE"): return try await revoke(id, call)
    default: throw FrontendFailure(.methodNotAllowed)
    }
  }

  // MARK: Enrolling

  private func prepare(_ call: FrontendCall) async throws -> ServerResponse {
    let enrollment = try await enrollment(call)
    let own = try await call.registry.trustedDevices(ofUser: enrollment.user.id, realm: call.realm)
    if let refusal = call.services.enrollmentRules.refusal(of: enrollment.record, among: own) {
      throw Self.failure(refusal)
    }
    let challenge = try call.services.challenges.make(
      .enroll, binding: enrollment.binding, appIdentifier: enrollment.fields.appIdentifier,
      expiresAt: call.now.advanced(by: call.settings.challengeLifetime))
    return try await call.answer(challenge.json)
  }

  private func attempt(_ call: FrontendCall) async throws -> ServerResponse {
    let enrollment = try await enrollment(call)
    let clientData = try enrollment.form.required("client_data")
    let signature = try enrollment.form.required("signature")
    let read = try call.challenge(clientData, for: .enroll)
    try Self.compare(read.binding, with: enrollment.binding)
    try TrustedDeviceProof.check(
      clientData: clientData, signature: signature, algorithm: enrollment.fields.algorithm, by: enrollment.fields.key)
    let result = try await call.registry.enrollTrustedDevice(
      enrollment.record, challenge: read.use, rules: call.services.enrollmentRules)
    guard result == .enrolled else { throw Self.failure(result) }
    return try await call.answer(enrollment.record.resource)
  }

  private struct Enrollment {
    let form: FormFields
    let fields: EnrollmentFields
    let user: UserRecord
    let record: TrustedDeviceRecord
    let binding: ChallengeBinding
  }

  /// Who enrolls what, when it may be done at all.
  private func enrollment(_ call: FrontendCall) async throws -> Enrollment {
    let (session, user, client) = try await call.session()
    try call.requireTrustedDevices()
    if let limit = call.settings.reverifyAfter, call.now > session.createdAt.advanced(by: limit) {
      throw FrontendFailure(.sessionReverificationRequired)
    }
    let form = try call.request.form()
    let fields = try EnrollmentFields({ form[$0] }, appIdentifiers: call.services.appIdentifiers)
    let record = fields.record(
      id: try call.services.makeID(.device), user: user, clientID: client.digest,
      installation: call.request.installation, now: call.now)
    let binding = ChallengeBinding(
      clientID: client.digest, context: session.id, userID: user.id, fields: fields.bound)
    return Enrollment(form: form, fields: fields, user: user, record: record, binding: binding)
  }

  /// Throws `FrontendFailure` (`trusted_device_binding_mismatch`) with the field that is another than at the beginning.
  private static func compare(_ made: ChallengeBinding, with present: ChallengeBinding) throws(FrontendFailure) {
    guard made.clientID == present.clientID, made.context == present.context, made.userID == present.userID,
      made.fields.map(\.name) == present.fields.map(\.name)
    else { throw FrontendFailure(.trustedDeviceBindingMismatch, "client_data") }
    if let field = zip(made.fields, present.fields).first(where: { $0 != $1 }) {
      throw FrontendFailure(.trustedDeviceBindingMismatch, field.0.name)
    }
  }

  private static func failure(_ result: EnrollmentResult) -> FrontendFailure {
    switch result {
    case .alreadyEnrolled: FrontendFailure(.trustedDeviceAlreadyEnrolled)
    case .quotaExceeded: FrontendFailure(.trustedDeviceCredentialQuotaExceeded)
    case .challengeUsed: FrontendFailure(.trustedDeviceChallengeNotFound, "client_data")
    case .enrolled: FrontendFailure(.internalError)
    }
  }

  // MARK: Managing

  private func list(_ call: FrontendCall) async throws -> ServerResponse {
    let user = try await call.session().user
    let devices = try await call.registry.trustedDevices(ofUser: user.id, realm: call.realm)
    return try await call.answer(.array(devices.filter(\.isActive).map(\.resource)))
  }

  private func revoke(_ id: String, _ call: FrontendCall) async throws -> ServerResponse {
    let user = try await call.session().user
    guard id.utf8.count <= 64,
      let device = try await call.registry.revokeTrustedDevice(id, ofUser: user.id, realm: call.realm, at: call.now)
    else { throw FrontendFailure(.resourceNotFound) }
    return try await call.answer(device.resource)
  }
}
