import AuthenticatorCore

/// What the server says of one credential of this installation.
public struct TrustedDeviceStanding: Hashable, Sendable {
  /// The name of its key in the store.
  public let tag: KeyTag
  /// The server's name of it.
  public let id: String
  /// The server's name of the user it signs in.
  public let userID: String
  /// Whether the server accepts it; nil: the server does not say, or has the feature switched off.
  public let isAccepted: Bool?

  init(_ credential: LocalCredential, isAccepted: Bool?) {
    tag = credential.tag
    id = credential.id
    userID = credential.userID
    self.isAccepted = isAccepted
  }
}

extension TrustedDeviceClient {
  /// Asks about every credential here, offered or not. Deletes nothing.
  func standings() async throws -> [TrustedDeviceStanding] {
    try await state.load()
    // The keys of an earlier installation are nobody's, and about to go.
    guard !scope.party.isEmpty, try await !isEarlierInstallation() else { return [] }
    let credentials = shelf.read(
      try await shelf.store.records(matching: scope.query(states: [.active, .retired, .revoking])))
    guard !credentials.isEmpty else { return [] }
    if state.environment == nil { try await api.refreshEnvironment() }
    let isOpen = state.environment?.closedReason == nil
    do {
      if isOpen { return try await standings(of: credentials) }
    } catch let error as AuthenticatorError where error.code == .nativeAPIDisabled || error.code == .featureDisabled {
      // Switched off since the settings were heard of.
    }
    return credentials.map { TrustedDeviceStanding($0, isAccepted: nil) }
  }

  private func standings(of credentials: [LocalCredential]) async throws -> [TrustedDeviceStanding] {
    let own = try await ownList()
    var standings: [TrustedDeviceStanding] = []
    for credential in credentials {
      let isAccepted =
        if let own, own.userID == credential.userID {
          own.devices.contains { $0.id == credential.id && $0.status == .active }
        } else {
          try await isAccepted(credential)
        }
      standings.append(TrustedDeviceStanding(credential, isAccepted: isAccepted))
    }
    return standings
  }

  /// The list of whoever is signed in and active; nil: nobody is.
  private func ownList() async throws -> (userID: String, devices: [TrustedDevice])? {
    guard let session = state.session, session.status == .active, let userID = session.user?.id else { return nil }
    do {
      return (userID, try await fetchList(sessionID: session.id))
    } catch {
      // The refusal may have shown that nobody is signed in after all.
      guard state.session?.isSignedIn != true else { throw error }
      return nil
    }
  }
}
