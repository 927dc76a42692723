import AuthenticatorCore
import Synchronization

/// A client of one server's Frontend API on this installation: signs in, enrolls the installation as a trusted device,
/// and signs in with it.
///
/// Use one client for each installation and server: what makes, uses or removes credentials runs one at a time in it.
/// Everything that outlives the process (keys, token, sessions, settings, work left over) is in the key store. Nothing
/// here shows anything; the verifier asks the person.
///
///     let client = try TrustedDeviceClient(
///       TrustedDeviceConfiguration(publishableKey: "pk_live_…"), transport: transport, keyStore: store,
///       verifier: verifier, environment: environment)
///     try await client.start()
///     try await client.trustedDevices.enroll(reason: "Use your fingerprint to sign in.")
public final class TrustedDeviceClient: Sendable {
  /// Where it signs in, and how; fixed for the client's life.
  public let configuration: TrustedDeviceConfiguration
  let context: AuthenticatorContext
  let scope: CredentialScope
  let state: ClientState
  let api: FrontendAPI
  let shelf: CredentialShelf
  let operations = Turnstile()
  private let stream = EventStream()
  private let isStarted = Mutex(false)

  /// Makes a client. Reads nothing and sends nothing yet; call `start()` when the app starts.
  /// - Parameters:
  ///   - keyStore: keeps the keys and everything else that outlives the process.
  ///   - verifier: checks the person.
  ///   - environment: its `appIdentifier` is what credentials are enrolled for; without it none are.
  ///   - onEvent: called for every event, must not block; the same events come from `events`.
  public init(
    _ configuration: TrustedDeviceConfiguration, transport: any HTTPTransport, keyStore: any KeyStore,
    verifier: any UserVerifier, environment: AuthenticatorEnvironment,
    onEvent: @escaping @Sendable (TrustedDeviceEvent) -> Void = { _ in }
  ) {
    let context = AuthenticatorContext(
      instance: configuration.instance, keyStore: keyStore, verifier: verifier, environment: environment)
    let scope = CredentialScope(instance: configuration.instance, party: environment.appIdentifier ?? "")
    let stream = stream
    let emit: @Sendable (TrustedDeviceEvent) -> Void = { event in
      onEvent(event)
      stream.send(event)
    }
    self.configuration = configuration
    self.context = context
    self.scope = scope
    state = ClientState(keyStore, scope: scope, now: environment.now)
    api = FrontendAPI(
      configuration: configuration, transport: transport, environment: environment, state: state,
      installation: InstallationIdentity(context, scope: scope), emit: emit)
    shelf = CredentialShelf(
      context: context, scope: scope, authenticators: configuration.authenticators, emit: emit)
  }

  /// The credentials of this installation and of the signed-in user.
  public var trustedDevices: TrustedDevices { TrustedDevices(client: self) }

  /// Signing in, up and out.
  public var auth: FrontendAuth { FrontendAuth(client: self) }

  /// What happens from now on; every caller gets a stream of its own.
  public var events: AsyncStream<TrustedDeviceEvent> { stream.listen() }

  func emit(_ event: TrustedDeviceEvent) { api.emit(event) }

  // MARK: Starting

  /// Reads what earlier runs have left: token, sessions and settings. Finishes or undoes, as far as that works without
  /// the server, what they could not. Sends nothing. Everything but `availability` does it by itself when it was not
  /// done; calling it twice does no harm.
  /// - Throws: `storageFailed` and its like, when the store cannot be read or the keys of an earlier installation
  ///   cannot be removed.
  public func start() async throws { try await operations.run { try await started() } }

  /// Asks the server for its settings and for this client's sessions, and settles what earlier runs have left there.
  /// - Throws: `transportFailed`, `timedOut`, `invalidMessage`, the code of a refusal; as `start()`.
  public func refresh() async throws {
    try await startedIfFree()
    try await api.refreshEnvironment()
    if state.current.token != nil { try await api.refreshClient() }
    await settleIfFree()
  }

  /// The server's switches as they were last heard of; nil: never.
  public var environment: FrontendEnvironment? {
    get async throws {
      try await state.load()
      return state.environment
    }
  }

  /// Gives the client a device token that was obtained elsewhere, and asks the server for its sessions. Until the
  /// server has accepted it, the client goes on with the one it has.
  /// - Throws: `invalidRequest` for text that cannot be a token; `signedOut` when the server refuses it; as
  ///   `refresh()`.
  public func adopt(deviceToken text: String) async throws {
    guard let token = DeviceToken(text.trimmingBlanks()) else {
      throw AuthenticatorError(.invalidRequest, stage: "trustedDevice", reason: "the device token is malformed")
    }
    try await state.load()
    guard state.current.token != token || state.current.client == nil else { return }
    try await api.adopt(token)
  }

  /// Asks for the server's switches when they were never heard of, or said no. Settles nothing.
  package func knowEnvironment() async throws {
    try await state.load()
    if state.environment?.closedReason != nil || state.environment == nil { try await api.refreshEnvironment() }
  }

  /// Keeps in the store what an earlier attempt could not.
  /// - Throws: `storageFailed` and its like; `busy` when another process has signed in with the same store meanwhile.
  package func keepState() async throws {
    guard !state.isKept else { return }
    try await state.save()
  }

  /// For what need not wait for an operation that is under way, and its prompt.
  func startedIfFree() async throws {
    try await state.load()
    _ = try await operations.runIfFree { try await started() }
  }

  /// `start()` inside an operation.
  func started() async throws {
    try await state.load()
    guard !isStarted.withLock({ $0 }) else { return }
    _ = try await startAnew()
  }

  /// The same, whether it was done before or not.
  /// - Returns: what was finished or undone, and what failed.
  func startAnew() async throws -> TrustedDeviceReconciliation {
    try await state.load()
    let reinstalled = isStarted.withLock({ $0 }) ? [] : try await removeEarlierInstallation()
    var report = await LocalCleanUp.run(shelf)
    isStarted.withLock { $0 = true }
    report.removed = reinstalled.map { .init(id: $0.id, reason: .reinstalled) } + report.removed
    return report
  }

  /// Whether the keys here may be those of an earlier installation. Changes nothing.
  func isEarlierInstallation() async throws -> Bool {
    guard let markers = configuration.installationMarkers else { return false }
    return try await !markers.contains(installationMark)
  }

  private var installationMark: String {
    InstallationMark.name(instance: scope.instance, appIdentifier: context.environment.appIdentifier)
  }

  /// Removes this app's keys when they are those of an earlier installation; the mark is made once all are gone.
  private func removeEarlierInstallation() async throws -> [LocalCredential] {
    guard let markers = configuration.installationMarkers, try await isEarlierInstallation() else { return [] }
    let records = scope.party.isEmpty ? [] : try await shelf.store.records(matching: scope.query(states: .everyState))
    var ids: [LocalCredential] = []
    for record in records {
      // Read first: the name is needed for the event, and an unreadable record goes as well.
      if record.externalID != nil { ids += shelf.read([record]) }
      let (store, tag, isStaged) = (shelf.store, record.tag, record.state == .staged)
      try await Turnstile.shielded {
        if isStaged { try await store.discard(tag) } else { try await store.delete(tag) }
      }
    }
    try await markers.insert(installationMark)
    for credential in ids { emit(.removed(id: credential.id, reason: .reinstalled)) }
    if !records.isEmpty { emit(.installationReplaced(removed: records.count)) }
    return ids
  }

  /// The server's names of the credentials that are offered here.
  package func localIDs() async throws -> Set<String> { Set(try await shelf.active().map(\.id)) }

  // MARK: What operations stand on

  /// The session that somebody is signed in with, tasks left or not.
  /// - Throws: `signedOut`.
  func signedInSession() async throws -> FrontendSession {
    await api.refreshIfRunOut()
    guard let session = state.session, session.isSignedIn else {
      throw AuthenticatorError(
        .signedOut, stage: "trustedDevice", reason: "this needs a session that is active or pending")
    }
    return session
  }

  /// Asks for the settings when they were never heard of, and before they are taken for a no.
  /// - Throws: `environmentUnavailable`, `nativeAPIDisabled`, `featureDisabled`.
  func requireFeature() async throws {
    if state.environment == nil {
      do {
        try await api.refreshEnvironment()
      } catch {
        throw AuthenticatorError(
          .environmentUnavailable, stage: "trustedDevice",
          reason: AuthenticatorError.wrapping(error, as: .transportFailed, stage: "trustedDevice").reason,
          underlying: TrustedDeviceFailure(unavailableReason: .environmentUnavailable, cause: error))
      }
    }
    if state.environment?.closedReason != nil {
      // Switched on meanwhile, perhaps. A server that does not answer leaves it at what was heard last.
      await api.refreshEnvironmentQuietly()
    }
    guard let reason = state.environment?.closedReason else { return }
    throw AuthenticatorError(
      reason == .nativeAPIDisabled ? .nativeAPIDisabled : .featureDisabled, stage: "trustedDevice",
      underlying: TrustedDeviceFailure(unavailableReason: reason))
  }
}
