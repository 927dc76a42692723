import AuthenticatorCore

/// The credential to sign in with, or why there is none.
package struct CredentialSelection: Sendable {
  package var credential: LocalCredential?
  /// Nil when there is a credential.
  var reason: TrustedDeviceAvailability.UnavailableReason?
  /// When the reason is a lost key: the credentials concerned, with what became of their keys.
  var lost: [(credential: LocalCredential, condition: CredentialShelf.Condition)] = []
  /// What keeps the person from opening a key; nil for every other reason.
  var obstacle: Obstacle?
  /// Why there is none, where the code would say too much; else empty.
  var explanation = ""

  static func none(_ reason: TrustedDeviceAvailability.UnavailableReason) -> CredentialSelection {
    CredentialSelection(credential: nil, reason: reason)
  }

  /// None was found, by what was asked for: there may be others.
  static func unmatched(id: String?, hint: String?, isSignedIn: Bool) -> CredentialSelection {
    var selection = none(.noLocalCredential)
    let asked = [id.map { _ in "id" }, IdentifierHint.normalized(hint).map { _ in "hint" }].compactMap(\.self)
    if isSignedIn {
      let such = asked.isEmpty ? "" : " with this \(asked.joined(separator: " and this "))"
      selection.explanation = "no credential here\(such) is the signed-in user's"
    } else if !asked.isEmpty {
      selection.explanation = "no credential here has this \(asked.joined(separator: " and this "))"
    }
    return selection
  }

  package var availability: TrustedDeviceAvailability { reason.map { .unavailable($0) } ?? .available }

  /// The error that says why there is none.
  var error: AuthenticatorError {
    if let obstacle { return obstacle.error }
    let failure = TrustedDeviceFailure(unavailableReason: reason)
    return AuthenticatorError(code, stage: "signIn", reason: explanation, underlying: failure)
  }

  private var code: AuthenticatorError.Code {
    switch reason {
    case .environmentUnavailable: .environmentUnavailable
    case .nativeAPIDisabled: .nativeAPIDisabled
    case .featureDisabled: .featureDisabled
    case .noLocalCredential: .noLocalCredential
    case .localKeyMissing: lost.contains { $0.condition == .void } ? .keyInvalidated : .keyNotFound
    case .serverCredentialMissing, .serverCredentialRevoked: .credentialGone
    default: .unsupported
    }
  }
}

extension TrustedDeviceClient {
  /// Walks the credentials of this app from the newest on, as far as it must. Deletes nothing.
  /// - Parameter asksServer: whether the server's list is asked for when somebody is signed in and active.
  /// - Throws: when the store or the server cannot tell.
  package func select(
    id: String?, hint: String?, asksServer: Bool
  ) async throws -> CredentialSelection {
    guard var environment = state.environment else { return .none(.environmentUnavailable) }
    if asksServer { await api.refreshIfRunOut() }
    if asksServer, environment.closedReason != nil, state.session?.status == .active {
      // The server is asked anyway, and may have changed its mind.
      await api.refreshEnvironmentQuietly()
      environment = state.environment ?? environment
    }
    if let reason = environment.closedReason { return .none(reason) }
    if try await isEarlierInstallation() { return .none(.noLocalCredential) }
    var survey = KeySurvey(shelf: shelf)
    guard asksServer, let session = state.session, session.status == .active else {
      // Nobody is signed in, or not quite: the newest that could sign is the one.
      var (candidates, isComplete) = try await shelf.candidates(id: id, hint: hint)
      if let usable = try await survey.first(of: candidates) { return CredentialSelection(credential: usable) }
      if !isComplete {
        candidates = try await shelf.all(id: id, hint: hint)
        if let usable = try await survey.first(of: candidates) { return CredentialSelection(credential: usable) }
      }
      guard !candidates.isEmpty else { return .unmatched(id: id, hint: hint, isSignedIn: false) }
      return try await survey.verdict(on: candidates)
    }
    let own = try await shelf.own(session.user?.id, id: id, hint: hint)
    let usable = try await survey.all(of: own)
    guard !usable.isEmpty else {
      let candidates = try await shelf.all(id: id, hint: hint)
      let unmatched = CredentialSelection.unmatched(id: id, hint: hint, isSignedIn: !candidates.isEmpty)
      guard !candidates.isEmpty else { return unmatched }
      return try await survey.verdict(on: candidates, unmatched)
    }
    let listed: [TrustedDevice]
    do {
      listed = try await fetchList(sessionID: session.id)
    } catch {
      // The refusal may have shown that nobody is signed in after all.
      guard state.session?.isSignedIn != true else { throw error }
      return try await select(id: id, hint: hint, asksServer: false)
    }
    var first: TrustedDeviceAvailability.UnavailableReason?
    for credential in usable {
      guard let device = listed.first(where: { $0.id == credential.id }) else {
        first = first ?? .serverCredentialMissing
        continue
      }
      if device.status == .active { return CredentialSelection(credential: credential) }
      first = first ?? .serverCredentialRevoked
    }
    return .none(first ?? .noLocalCredential)
  }

  /// The user's trusted devices as the server lists them; the list comes in an envelope or bare.
  func fetchList(sessionID: String?) async throws -> [TrustedDevice] {
    try await fetchListAndClock(sessionID: sessionID).devices
  }

  func fetchListAndClock(sessionID: String?) async throws -> (devices: [TrustedDevice], clock: ServerClock) {
    let answer = try await api.send(
      FrontendRequest("GET", "me", configuration.urlFamily.rawValue, sessionID: sessionID, retrying: .once))
    guard let elements = answer.response.arrayValue ?? answer.response["data"]?.arrayValue else {
      throw AuthenticatorError(
        .invalidMessage, stage: "frontend.answer", reason: "the list of trusted devices is no array")
    }
    let devices = try elements.map { value in
      guard let object = value.objectValue else {
        throw AuthenticatorError(.invalidMessage, stage: "frontend.answer", reason: "a trusted device is no object")
      }
      return try TrustedDevice(object)
    }
    return (devices, clock(answer))
  }

  func clock(_ answer: FrontendAnswer) -> ServerClock {
    ServerClock(context.environment, date: answer.date)
  }
}

/// Looks at keys, each at most once.
private struct KeySurvey {
  let shelf: CredentialShelf
  private var known: [KeyTag: CredentialShelf.Condition] = [:]

  init(shelf: CredentialShelf) { self.shelf = shelf }

  mutating func condition(of credential: LocalCredential) async throws -> CredentialShelf.Condition {
    if let condition = known[credential.tag] { return condition }
    let condition = try await shelf.condition(of: credential)
    known[credential.tag] = condition
    return condition
  }

  mutating func first(of credentials: [LocalCredential]) async throws -> LocalCredential? {
    for credential in credentials where try await condition(of: credential) == .usable { return credential }
    return nil
  }

  mutating func all(of credentials: [LocalCredential]) async throws -> [LocalCredential] {
    var usable: [LocalCredential] = []
    for credential in credentials where try await condition(of: credential) == .usable { usable.append(credential) }
    return usable
  }

  /// Why none can be used: keys first, then what opens them, then whose they are.
  /// - Parameter unmatched: the answer when one could be used, and is another user's.
  mutating func verdict(
    on credentials: [LocalCredential], _ unmatched: CredentialSelection = .none(.noLocalCredential)
  ) async throws -> CredentialSelection {
    var selection = CredentialSelection.none(.localKeyMissing)
    var obstacle: Obstacle?
    for credential in credentials {
      let condition = try await condition(of: credential)
      switch condition {
      case .usable: return unmatched
      case .unusable(let found): obstacle = obstacle ?? found
      case .missing, .void: selection.lost.append((credential, condition))
      }
    }
    guard let obstacle else { return selection }
    return CredentialSelection(reason: obstacle.reason, obstacle: obstacle)
  }
}
