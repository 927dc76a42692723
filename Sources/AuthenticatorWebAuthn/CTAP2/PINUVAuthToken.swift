internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// What a platform proves a verification with, until it is used or its time is over (CTAP 2.1 section 6.5.2.1).
struct PINUVAuthToken {
  struct Permissions: OptionSet, Hashable {
    let rawValue: Int
    static let makeCredential = Permissions(rawValue: 0x01)
    static let getAssertion = Permissions(rawValue: 0x02)
  }

  /// Since the token was given out: until its first use, and in all.
  private static let firstUseLimit = Duration.seconds(30)
  private static let limit = Duration.seconds(600)

  let secret: SecretBytes
  private(set) var permissions: Permissions
  /// Nil: bound to the first relying party it is used for.
  private(set) var relyingPartyID: String?
  /// What was verified.
  let verification: UserVerification
  private let givenOut: Duration
  private var isUsed = false

  init(
    secret: SecretBytes, permissions: Permissions, relyingPartyID: String?, verification: UserVerification,
    at uptime: Duration
  ) {
    self.secret = secret
    self.permissions = permissions
    self.relyingPartyID = relyingPartyID
    self.verification = verification
    givenOut = uptime
  }

  func isAlive(at uptime: Duration) -> Bool {
    uptime - givenOut < (isUsed ? Self.limit : Self.firstUseLimit)
  }

  /// Uses the token for one operation; afterwards it serves no other.
  ///
  /// - Parameter isSpent: false for a silent question, in which nobody takes part and nothing is signed on the strength
  ///   of the token: it is left as it is (CTAP 2.1 section 6.2.2).
  mutating func use(
    for permission: Permissions, relyingPartyID id: String, isSpent: Bool, at uptime: Duration
  ) throws(CTAP2Status) -> UserVerification {
    guard isAlive(at: uptime), permissions.contains(permission), relyingPartyID ?? id == id else {
      throw .pinAuthInvalid
    }
    isUsed = true
    relyingPartyID = id
    if isSpent { permissions = [] }
    return verification
  }
}
