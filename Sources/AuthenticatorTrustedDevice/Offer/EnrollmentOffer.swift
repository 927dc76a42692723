import AuthenticatorCore

/// Whether to offer enrollment now: the facts, and the rule over them. A value, so that it can be tested without a
/// server, a device or a view.
public struct EnrollmentOffer: Hashable, Sendable {
  /// What the person has just done.
  public enum Occasion: String, Hashable, Sendable, CaseIterable {
    /// Signed in.
    case signIn
    /// Signed up.
    case signUp
  }

  /// What the person has just done.
  public var occasion: Occasion
  /// The server's switches.
  public var environment: FrontendEnvironment
  /// The session the occasion made, as it is now; nil: there is none any more.
  public var session: FrontendSession?
  /// The session it made.
  public var expectedSessionID: String?
  /// Whether a device could be enrolled here.
  public var support: TrustedDeviceAvailability
  /// Whether this installation could sign in as this user already.
  public var current: TrustedDeviceAvailability
  /// Whether the offer was shown to this user before.
  public var wasShown: Bool

  /// Takes the facts.
  public init(
    occasion: Occasion, environment: FrontendEnvironment, session: FrontendSession?, expectedSessionID: String?,
    support: TrustedDeviceAvailability, current: TrustedDeviceAvailability, wasShown: Bool
  ) {
    self.occasion = occasion
    self.environment = environment
    self.session = session
    self.expectedSessionID = expectedSessionID
    self.support = support
    self.current = current
    self.wasShown = wasShown
  }

  /// The reasons for not being enrolled that enrolling would remedy.
  static let remediable: Set<TrustedDeviceAvailability.UnavailableReason> = [
    .noLocalCredential, .localKeyMissing, .serverCredentialMissing, .serverCredentialRevoked,
  ]

  /// Whether to show it: the server wants it on this occasion, the session is the one that was made and somebody is
  /// signed in, a device could be enrolled, and this one is not. After a sign-in once for each user, after a sign-up
  /// always.
  public var isDue: Bool {
    guard environment.closedReason == nil, let session, session.isSignedIn, session.id == expectedSessionID,
      support.isAvailable, let reason = current.unavailableReason, Self.remediable.contains(reason)
    else { return false }
    switch occasion {
    case .signIn: return environment.offersEnrollmentAfterSignIn && !wasShown
    case .signUp: return environment.offersEnrollmentAfterSignUp
    }
  }
}

extension TrustedDevices {
  /// Whether to offer enrollment after a sign-in or sign-up. The server's switches are asked for first; whatever goes
  /// wrong, nothing is offered.
  public func shouldOfferEnrollment(after occasion: EnrollmentOffer.Occasion) async -> Bool {
    do {
      guard let begun = try await client.auth.session else { return false }
      try await client.api.refreshEnvironment()
      guard let environment = client.state.environment, let userID = begun.user?.id else { return false }
      let offer = EnrollmentOffer(
        occasion: occasion, environment: environment, session: client.state.session, expectedSessionID: begun.id,
        support: await enrollmentAvailability(), current: try await client.availability(of: userID),
        wasShown: try await client.offerWasShown(to: userID))
      return offer.isDue
    } catch {
      return false
    }
  }

  /// Notes that the offer is on the screen: whatever the person answers, it is not made to this user again after a
  /// sign-in.
  /// - Throws: `signedOut`; `storageFailed`.
  public func noteOfferShown() async throws {
    guard let userID = try await client.auth.session?.user?.id else {
      throw AuthenticatorError(.signedOut, stage: "trustedDevice.offer")
    }
    try await client.noteOfferShown(to: userID)
  }
}

extension TrustedDeviceClient {
  /// Whether this installation could sign in as a user, by local state, and by the server's list when that user is
  /// signed in and active. Whatever the hint.
  func availability(of userID: String) async throws -> TrustedDeviceAvailability {
    guard !scope.party.isEmpty, let newest = try await shelf.active(userID: userID).first else {
      return .unavailable(.noLocalCredential)
    }
    return try await select(id: newest.id, hint: nil, asksServer: true).availability
  }

  private func offerItem(_ userID: String) -> ItemName {
    CredentialScope(instance: scope.instance, party: scope.slot(userID)).item("offer-shown")
  }

  func offerWasShown(to userID: String) async throws -> Bool {
    try await shelf.store.item(offerItem(userID)) != nil
  }

  func noteOfferShown(to userID: String) async throws {
    try await shelf.store.setItem(offerItem(userID), to: [1])
  }
}
