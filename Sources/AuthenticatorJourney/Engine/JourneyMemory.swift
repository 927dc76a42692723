import AuthenticatorCore

/// What one client remembers between requests: session, cookies, the server's clock, the running flow.
actor JourneyMemory {
  private let configuration: JourneyConfiguration
  private let environment: AuthenticatorEnvironment
  private let storage: any SessionStorage

  private var isLoaded = false
  private var session: JourneySession?
  private var jar: CookieJar
  private var savedCookies: [Cookie] = []
  private var clockOffset: Duration?
  private weak var running: JourneyFlow?
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(configuration: JourneyConfiguration, environment: AuthenticatorEnvironment, storage: any SessionStorage) {
    self.configuration = configuration
    self.environment = environment
    self.storage = storage
    jar = CookieJar(excluding: configuration.cookieName)
  }

  // MARK: Flows

  /// Lets a flow begin, by the configured policy.
  /// - Throws: `busy`.
  func begin(_ flow: JourneyFlow) throws {
    if let running, !running.isEnded {
      switch configuration.overlap {
      case .refuse: throw AuthenticatorError(.busy, stage: "journey.start", reason: "another flow is under way")
      case .cancelFirst: running.end()
      case .allow: break
      }
    }
    running = flow
  }

  // MARK: Session

  /// The stored session.
  /// - Throws: `storageFailed`; `invalidRequest` when the storage holds another server's session.
  func currentSession() async throws -> JourneySession? {
    try await exclusively { try await load() }
    return session
  }

  /// Stores a new session; returns the one it replaces, when that is another.
  func adopt(_ new: JourneySession) async throws -> JourneySession? {
    try await exclusively {
      try await load()
      let old = session
      session = new
      do {
        try await save()
      } catch {
        session = old
        throw error
      }
      return old.flatMap { $0.tokenID == new.tokenID ? nil : $0 }
    }
  }

  /// Forgets session and cookies; returns the session that was there.
  func forget() async throws -> JourneySession? {
    try await exclusively {
      try await load()
      let old = session
      session = nil
      jar.removeAll()
      savedCookies = []
      try await storage.clear()
      return old
    }
  }

  private func load() async throws {
    guard !isLoaded else { return }
    let stored: StoredSession?
    do {
      stored = try await storage.load()
    } catch {
      throw AuthenticatorError.wrapping(error, as: .storageFailed, stage: "journey.session")
    }
    if let stored {
      guard stored.instance == configuration.instance, stored.realm == configuration.realm.description else {
        throw AuthenticatorError(
          .invalidRequest, stage: "journey.session",
          reason: "the stored session belongs to another server or realm")
      }
      session = stored.session
      savedCookies = stored.cookies
      jar = CookieJar(excluding: configuration.cookieName, cookies: stored.cookies)
    }
    isLoaded = true
  }

  private func save() async throws {
    savedCookies = jar.persistent(configuration.persistentCookies, at: environment.now())
    let stored = StoredSession(
      instance: configuration.instance, realm: configuration.realm.description, session: session,
      cookies: savedCookies)
    do {
      try await storage.save(stored)
    } catch {
      throw AuthenticatorError.wrapping(error, as: .storageFailed, stage: "journey.session")
    }
  }

  // MARK: Requests and answers

  func cookieHeader(for url: WebURL) -> String? { jar.header(for: url, at: environment.now()) }

  /// Takes cookies and the server's time from an answer.
  func receive(_ response: HTTPResponse, from url: WebURL) async throws {
    let now = environment.now()
    if let date = response.values("Date").first.flatMap(HTTPDate.parse) {
      clockOffset = .milliseconds(date.milliseconds.subtractingReportingOverflow(now.milliseconds).partialValue)
    }
    let fields = response.values("Set-Cookie")
    guard !fields.isEmpty else { return }
    for field in fields.prefix(100) { jar.receive(field, from: url, at: now) }
    guard jar.persistent(configuration.persistentCookies, at: now) != savedCookies else { return }
    try await exclusively {
      try await load()
      try await save()
    }
  }

  func callbackContext(journey: String?) -> CallbackContext {
    CallbackContext(
      journey: JourneyContext(
        instance: configuration.instance, realm: configuration.realm.description, journey: journey),
      clockOffset: clockOffset, maximumClockOffset: configuration.maximumClockOffset)
  }

  // MARK: Order

  /// Lets one operation on the storage through at a time, in order of arrival, so that a read-modify-write with a
  /// suspension in its middle stays whole.
  private func exclusively<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    if isBusy {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isBusy = true
    }
    defer {
      if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
    return try await body()
  }
}
