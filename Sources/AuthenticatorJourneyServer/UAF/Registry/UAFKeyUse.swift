public import AuthenticatorCore
public import AuthenticatorRelyingParty

/// That a key has signed, and what changes with it. What a signature says nothing new about is not in it, so that it
/// undoes nothing that was stored meanwhile.
public struct UAFKeyUse: Hashable, Sendable {
  /// The realm of the key's user.
  public var realm: Realm
  /// Whose key it is.
  public var userID: String
  /// Which one.
  public var name: UAFKeyName
  /// The counter of the signature.
  public var signCounter: UInt32
  /// Whether the counter was seen not to rise, and the response stands all the same: the stored counter stays.
  public var isCounterNotIncreased: Bool
  /// The version that the authenticator told.
  public var authenticatorVersion: UInt16
  /// The state of the enrolled set that takes the stored one's place; nil: that stays.
  public var userVerificationState: [UInt8]?
  /// When.
  public var usedAt: UnixTime

  /// Describes a use.
  public init(
    realm: Realm, userID: String, name: UAFKeyName, signCounter: UInt32, isCounterNotIncreased: Bool = false,
    authenticatorVersion: UInt16, userVerificationState: [UInt8]? = nil, usedAt: UnixTime
  ) {
    self.realm = realm
    self.userID = userID
    self.name = name
    self.signCounter = signCounter
    self.isCounterNotIncreased = isCounterNotIncreased
    self.authenticatorVersion = authenticatorVersion
    self.userVerificationState = userVerificationState
    self.usedAt = usedAt
  }

  init(_ signer: UAFAuthenticationVerdict.Signer, of user: UserRecord, at time: UnixTime) {
    let key = signer.registration
    self.init(
      realm: user.realm, userID: user.id, name: UAFKeyName(aaid: key.aaid, keyID: key.keyID),
      signCounter: key.signCounter, isCounterNotIncreased: signer.isCounterNotIncreased,
      authenticatorVersion: key.authenticatorVersion, userVerificationState: signer.acceptedState, usedAt: time)
  }

  /// The counter to store over this one; nil: it was used meanwhile.
  func counter(after stored: UInt32) -> UInt32? {
    if isCounterNotIncreased { return stored }
    return stored < signCounter || stored == 0 && signCounter == 0 ? signCounter : nil
  }
}
