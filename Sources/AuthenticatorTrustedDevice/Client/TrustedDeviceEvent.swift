import AuthenticatorCore

/// What happened on this installation. Holds no secret and no name of a user.
public enum TrustedDeviceEvent: Hashable, Sendable {
  /// A credential was enrolled. `isRecovered`: by an earlier run that did not live to see it.
  case enrolled(id: String, isRecovered: Bool)
  /// An enrollment that was interrupted has been undone.
  case enrollmentUndone
  /// A credential's key and record are gone from this installation.
  case removed(id: String, reason: RemovalReason)
  /// The server's credential was revoked because its key here was lost, void, or never became usable.
  case orphanRevoked(id: String)
  /// The server lists a credential that an interrupted enrollment may have made. It may as well be another
  /// installation's, so it was left: the person can tell, and revoke it.
  case unclaimed(id: String)
  /// A sign-in is complete; by a trusted device or otherwise.
  case signedIn(sessionID: String?)
  /// A sign-in needs more.
  case signInNeedsContinuation(SignIn.Status)
  /// A sign-up is complete.
  case signedUp(sessionID: String?)
  /// A sign-up needs more.
  case signUpNeedsContinuation(SignUp.Status)
  /// A session, or all of them, was ended by this client.
  case signedOut(sessionID: String?)
  /// Another session is the current one, or it has another status.
  case sessionChanged(from: String?, to: String?)
  /// The keys of an earlier installation were found and removed.
  case installationReplaced(removed: Int)
  /// A record of this app cannot be read; it was set aside and the others are usable.
  case recordSetAside(reason: AuthenticatorError.Code)
  /// Something that can be done later could not be done now; it is tried again.
  case postponed(Task, code: AuthenticatorError.Code)

  /// Why a credential went.
  public enum RemovalReason: String, Hashable, Sendable, CaseIterable {
    /// It was revoked from here.
    case revoked
    /// The server does not know it.
    case missingOnServer
    /// The server has revoked it.
    case revokedOnServer
    /// Its key is gone.
    case keyMissing
    /// The enrolled biometrics changed and its policy forbids that.
    case keyInvalidated
    /// A new enrollment took its place.
    case replaced
    /// The app asked to forget it.
    case forgotten
    /// It belonged to an earlier installation.
    case reinstalled
    /// It was to go before, for whatever reason, and could not be destroyed until now.
    case postponed
    /// It was recovered after an interruption, and the server would not take its signature.
    case unproven
  }

  /// What was postponed.
  public enum Task: String, Hashable, Sendable, CaseIterable {
    /// Destroying a key here.
    case removal
    /// Revoking a credential on the server.
    case revocation
    /// Settling an interrupted enrollment.
    case settlement
    /// Keeping token and sessions for the next run.
    case saving
    /// Asking the server what became of the client.
    case refresh
  }
}
