internal import AuthenticatorCore

extension FrontendCall {
  /// Throws `FrontendFailure` (`session_exists`) when the client may have one session and has it.
  func checkSingleSession(of client: FrontendClient) async throws {
    guard settings.singleSession else { return }
    guard try await liveSessions(of: client).isEmpty else { throw FrontendFailure(.sessionExists) }
  }

  /// Signs a person in whose factor was right, and returns the session.
  ///
  /// Throws `FrontendFailure`: `user_banned`, `session_exists`, `identifier_already_signed_in`, a challenge that was
  /// used meanwhile, a credential that was revoked meanwhile.
  func signIn(
    _ user: UserRecord, client: String, strategy: String, device: String? = nil, challenge: ChallengeUse? = nil
  ) async throws -> ClientSessionRecord {
    guard user.isActive else { throw FrontendFailure(.userBanned) }
    let session = ClientSessionRecord(
      id: try services.makeID(.session), clientID: client, realm: user.realm, userID: user.id, strategy: strategy,
      tasks: settings.pendingTasks, createdAt: now, updatedAt: now,
      expiresAt: now.advanced(by: settings.sessionLifetime))
    let signIn = ClientSignIn(
      session: session, deviceID: device, challenge: challenge, isSingleSession: settings.singleSession)
    switch try await registry.signIn(signIn, now: now) {
    case .signedIn:
      log(.clientSignedIn(realm: user.realm, strategy: strategy))
      return session
    case .sessionExists: throw FrontendFailure(.sessionExists)
    case .alreadySignedIn: throw FrontendFailure(.identifierAlreadySignedIn, "identifier")
    case .challengeUsed: throw FrontendFailure(.trustedDeviceChallengeNotFound, "client_data")
    case .deviceGone: throw FrontendFailure(.trustedDeviceNotRegistered, "trusted_device_id")
    }
  }

  /// The credential of this id in the realm.
  ///
  /// Throws `FrontendFailure`: `form_resource_not_found` when there is none, `trusted_device_not_registered` when it is
  /// revoked.
  func activeDevice(_ id: String) async throws -> TrustedDeviceRecord {
    guard id.utf8.count <= 64, let device = try await registry.trustedDevice(id, realm: realm) else {
      throw FrontendFailure(.formResourceNotFound, "trusted_device_id")
    }
    guard device.isActive else { throw FrontendFailure(.trustedDeviceNotRegistered, "trusted_device_id") }
    return device
  }

  /// Understands a challenge that came back.
  ///
  /// Throws `FrontendFailure` with the word for what is wrong with it.
  func challenge(
    _ clientData: String, for purpose: DeviceChallenge.Purpose
  ) throws(FrontendFailure) -> (challenge: DeviceChallenge, binding: ChallengeBinding, use: ChallengeUse) {
    do {
      return try services.challenges.read(clientData, for: purpose, now: now)
    } catch {
      switch error {
      case .malformed: throw FrontendFailure(.trustedDeviceInvalidClientData, "client_data")
      case .unknown: throw FrontendFailure(.trustedDeviceChallengeNotFound, "client_data")
      case .otherPurpose: throw FrontendFailure(.trustedDeviceBindingMismatch, "client_data")
      case .expired: throw FrontendFailure(.trustedDeviceChallengeExpired, "client_data")
      }
    }
  }
}
