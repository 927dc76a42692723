public import AuthenticatorCore

/// A trusted device's credential: the public key of one installation of an app, for one user.
public struct TrustedDeviceRecord: Hashable, Sendable {
  /// Random, unique in the realm, never reused: `tdc_…`.
  public var id: String
  /// The realm it belongs to.
  public var realm: Realm
  /// Whom it signs in.
  public var userID: String
  /// A digest of the client it was enrolled with; nil: in a journey.
  public var clientID: String?
  /// A digest of what the device calls its installation; nil: it did not say.
  public var installation: String?
  /// `ios`, `android`, `linux` or another word.
  public var platform: String
  /// The app it was enrolled in.
  public var appIdentifier: String
  /// As the device calls itself; nil: it has no name.
  public var name: String?
  /// The public key on P-256: `0x04 || x || y`.
  public var publicKey: [UInt8]
  /// When it was enrolled.
  public var createdAt: UnixTime
  /// When it last signed somebody in; nil: not yet.
  public var lastUsedAt: UnixTime?
  /// When it was revoked or replaced; nil: it is active.
  public var revokedAt: UnixTime?

  /// Makes a record.
  public init(
    id: String, realm: Realm, userID: String, clientID: String?, installation: String?, platform: String,
    appIdentifier: String, name: String?, publicKey: [UInt8], createdAt: UnixTime, lastUsedAt: UnixTime? = nil,
    revokedAt: UnixTime? = nil
  ) {
    self.id = id
    self.realm = realm
    self.userID = userID
    self.clientID = clientID
    self.installation = installation
    self.platform = platform
    self.appIdentifier = appIdentifier
    self.name = name
    self.publicKey = publicKey
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
    self.revokedAt = revokedAt
  }

  /// Whether it may sign somebody in.
  public var isActive: Bool { revokedAt == nil }

  /// When anything about it last changed.
  public var updatedAt: UnixTime { [createdAt, lastUsedAt, revokedAt].compactMap { $0 }.max() ?? createdAt }

  /// Whether an enrollment of `other` is one of the same app on the same installation.
  ///
  /// The client proves itself with its token. What a device calls its installation proves nothing, so it only counts
  /// between credentials of one user.
  func sharesInstallation(with other: TrustedDeviceRecord) -> Bool {
    guard realm == other.realm, appIdentifier == other.appIdentifier else { return false }
    if let clientID, clientID == other.clientID { return true }
    return userID == other.userID && installation != nil && installation == other.installation
  }
}

/// What an enrollment is held to.
public struct EnrollmentRules: Hashable, Sendable {
  /// Active credentials a user may have.
  public var quota: Int
  /// Whether a user's own credential on the same installation and app keeps a new one out; else it gives way.
  public var refusesEnrolledAgain: Bool
  /// Whether other users' credentials on the same installation and app give way too.
  public var replacesOtherUsers: Bool

  /// Makes rules.
  public init(quota: Int, refusesEnrolledAgain: Bool = false, replacesOtherUsers: Bool = false) {
    self.quota = quota
    self.refusesEnrolledAgain = refusesEnrolledAgain
    self.replacesOtherUsers = replacesOtherUsers
  }

  /// Why a user with these credentials may not enroll this one; nil: it may.
  func refusal(of device: TrustedDeviceRecord, among own: [TrustedDeviceRecord]) -> EnrollmentResult? {
    let active = own.filter(\.isActive)
    let again = active.count { $0.sharesInstallation(with: device) }
    guard again == 0 || !refusesEnrolledAgain else { return .alreadyEnrolled }
    return active.count - again < quota ? nil : .quotaExceeded
  }

  /// Whether a credential gives way to a new one.
  func replaces(_ stored: TrustedDeviceRecord, by device: TrustedDeviceRecord) -> Bool {
    stored.isActive && stored.sharesInstallation(with: device)
      && (replacesOtherUsers || stored.userID == device.userID)
  }
}

/// What became of an enrollment; nothing was changed unless it is `enrolled`.
public enum EnrollmentResult: Hashable, Sendable {
  /// The credential stands, and those it replaces are revoked.
  case enrolled
  /// The user has this installation enrolled.
  case alreadyEnrolled
  /// The user has as many active credentials as allowed.
  case quotaExceeded
  /// Somebody was faster with this challenge.
  case challengeUsed
}
