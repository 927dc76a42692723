public import AuthenticatorCore

/// A session of a client of the Frontend API.
public struct ClientSessionRecord: Hashable, Sendable {
  /// How a session ended before its time.
  public enum Ending: String, Hashable, Sendable {
    /// Its client signed out.
    case removed
    /// The server ended it, because its user was switched off.
    case revoked
  }

  /// What a session is good for at a moment.
  public enum Status: String, Hashable, Sendable {
    /// Everything.
    case active
    /// The person is known, and tasks remain.
    case pending
    /// Nothing: its time is over.
    case expired
    /// Nothing: its client signed out.
    case removed
    /// Nothing: the server ended it.
    case revoked

    /// Whether it still signs somebody in.
    var isLive: Bool { self == .active || self == .pending }
  }

  /// Random: `sess_…`.
  public var id: String
  /// A digest of the client that has it.
  public var clientID: String
  /// The realm of its user.
  public var realm: Realm
  /// Whose it is.
  public var userID: String
  /// How the person signed in: `password`, `trusted_device`.
  public var strategy: String
  /// What the person must do before the session is active, in order.
  public var tasks: [String]
  /// When it began.
  public var createdAt: UnixTime
  /// When anything about it last changed.
  public var updatedAt: UnixTime
  /// When its time is over.
  public var expiresAt: UnixTime
  /// How it ended before its time; nil: it did not.
  public var ending: Ending?

  /// Makes a record.
  public init(
    id: String, clientID: String, realm: Realm, userID: String, strategy: String, tasks: [String] = [],
    createdAt: UnixTime, updatedAt: UnixTime, expiresAt: UnixTime, ending: Ending? = nil
  ) {
    self.id = id
    self.clientID = clientID
    self.realm = realm
    self.userID = userID
    self.strategy = strategy
    self.tasks = tasks
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.expiresAt = expiresAt
    self.ending = ending
  }

  /// What it is good for at this moment; a session ends exactly at `expiresAt`.
  public func status(at now: UnixTime) -> Status {
    switch ending {
    case .removed: .removed
    case .revoked: .revoked
    case nil where expiresAt <= now: .expired
    case nil: tasks.isEmpty ? .active : .pending
    }
  }
}

/// A sign-in about to be completed.
public struct ClientSignIn: Hashable, Sendable {
  /// The session to make.
  public var session: ClientSessionRecord
  /// The credential that signed; nil: a password did it.
  public var deviceID: String?
  /// The challenge that is used up by it.
  public var challenge: ChallengeUse?
  /// Whether the client may have no other session.
  public var isSingleSession: Bool

  /// Describes a sign-in.
  public init(
    session: ClientSessionRecord, deviceID: String? = nil, challenge: ChallengeUse? = nil, isSingleSession: Bool
  ) {
    self.session = session
    self.deviceID = deviceID
    self.challenge = challenge
    self.isSingleSession = isSingleSession
  }

  /// Why the sessions that the client has keep this one out; nil: they do not.
  func conflict(with sessions: some Sequence<ClientSessionRecord>, now: UnixTime) -> ClientSignInResult? {
    let live = sessions.filter { $0.clientID == session.clientID && $0.status(at: now).isLive }
    if isSingleSession { return live.isEmpty ? nil : .sessionExists }
    return live.contains { $0.realm == session.realm && $0.userID == session.userID } ? .alreadySignedIn : nil
  }
}

/// What became of a sign-in; nothing was changed unless it is `signedIn`.
public enum ClientSignInResult: Hashable, Sendable {
  /// The session stands.
  case signedIn
  /// The client has a session, and may have one only.
  case sessionExists
  /// The client has a session of this user.
  case alreadySignedIn
  /// The challenge was used before.
  case challengeUsed
  /// The credential is not active any more.
  case deviceGone
}

/// One use of a challenge, remembered until nobody could use it again.
public struct ChallengeUse: Hashable, Sendable {
  /// The challenge's random bytes.
  public var id: [UInt8]
  /// When it expires.
  public var expiresAt: UnixTime

  /// Names a challenge.
  public init(id: [UInt8], expiresAt: UnixTime) {
    self.id = id
    self.expiresAt = expiresAt
  }

  /// Kept longer than the challenge lives, so that a clock that is set back a little brings no challenge back.
  static let margin: Duration = .seconds(600)

  /// When the mark may go.
  var forgottenAt: UnixTime { expiresAt.advanced(by: Self.margin) }
}
