public import AuthenticatorCore

/// What the server remembers for the Frontend API and for trusted devices.
///
/// The same rules as for `JourneyRegistry`: absent is nil or false, failed is thrown, every method is one transaction.
public protocol TrustedDeviceRegistry: Sendable {
  // MARK: Credentials

  /// Uses the challenge up, revokes the credentials that give way, and adds this one. Durable. Revoked ones beyond the
  /// newest `TrustedDeviceBounds.revokedPerUser` of the user are forgotten.
  func enrollTrustedDevice(
    _ device: TrustedDeviceRecord, challenge: ChallengeUse?, rules: EnrollmentRules
  ) async throws -> EnrollmentResult
  /// The credential of this id, active or not; nil: there is none.
  func trustedDevice(_ id: String, realm: Realm) async throws -> TrustedDeviceRecord?
  /// A user's credentials, active or not, the newest first.
  func trustedDevices(ofUser userID: String, realm: Realm) async throws -> [TrustedDeviceRecord]
  /// Revokes a credential of this user; one that is revoked stays as it is. Durable. Nil: the user has no such
  /// credential.
  func revokeTrustedDevice(
    _ id: String, ofUser userID: String, realm: Realm, at time: UnixTime
  ) async throws -> TrustedDeviceRecord?
  /// Notes that a credential signed somebody in. False: it is not active any more.
  func noteTrustedDeviceUse(_ id: String, realm: Realm, at time: UnixTime) async throws -> Bool

  // MARK: Sessions of clients

  /// Uses the challenge up, notes the use of the credential, and adds the session. Durable.
  ///
  /// Sessions of the client beyond the newest `TrustedDeviceBounds.sessionsPerClient`, and of the user beyond
  /// `sessionsPerUser`, are forgotten, those that are over first. Throws `full` at the registry's limit.
  func signIn(_ signIn: ClientSignIn, now: UnixTime) async throws -> ClientSignInResult
  /// A client's sessions, over or not, the newest first.
  func clientSessions(ofClient clientID: String) async throws -> [ClientSessionRecord]
  /// Ends a client's session of this id, or all of them for nil; those that are over stay as they are. Durable. Returns
  /// the sessions meant, as they are then.
  func endClientSessions(
    _ id: String?, ofClient clientID: String, at time: UnixTime
  ) async throws -> [ClientSessionRecord]
  /// Takes a task off a client's session. Durable. Nil: the client has no such session.
  func completeTask(
    _ task: String, ofSession id: String, client clientID: String, at time: UnixTime
  ) async throws -> ClientSessionRecord?
  /// Ends all sessions of a user, of whatever client. Durable.
  func revokeClientSessions(ofUser userID: String, realm: Realm, at time: UnixTime) async throws

  // MARK: Users

  /// Adds a user unless the realm has `limit` users. Durable. False: it has. Throws `conflict` when the name is taken.
  func addUser(_ user: UserRecord, limit: Int) async throws -> Bool
}

/// What the registry keeps for one user and for one client at most.
enum TrustedDeviceBounds {
  /// Revoked credentials that are still shown as revoked.
  static let revokedPerUser = 20
  /// Sessions, those that are over included.
  static let sessionsPerClient = 10
  /// Sessions, those that are over included.
  static let sessionsPerUser = 100
  /// How long a session is still shown as expired.
  static let retention: Duration = .seconds(86_400)
}
