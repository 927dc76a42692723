import AuthenticatorCoding
import AuthenticatorCore
import Synchronization

/// What one client knows of its server: token, client with sessions, settings. Kept in the key store, sealed, from one
/// run of the app to the next.
final class ClientState: Sendable {
  struct Content: Hashable, Sendable {
    var token: DeviceToken?
    var client: FrontendClient?
    var environment: FrontendEnvironment?
    /// What the server's clock is ahead of this device's, in milliseconds, as far as that is known.
    fileprivate var clockOffset: Int64 = 0
    /// How many pictures of the client have been taken over.
    fileprivate var picture: UInt64 = 0
  }

  /// What a request was sent with.
  struct Sending: Sendable {
    let token: DeviceToken?
    let clientID: String?
    fileprivate let picture: UInt64
  }

  /// Who is signed in, as far as a ceremony must not be surprised by it.
  struct Identity: Hashable, Sendable {
    let sessionID: String?
    let userID: String?
    let isSignedIn: Bool
  }

  private let content = Mutex(Content())
  private let isLoaded = Mutex(false)
  /// What the store held when it was last read or written.
  private let kept = Mutex(Content())
  private let isBehind = Mutex(false)
  private let now: @Sendable () -> UnixTime
  private let store: any KeyStore
  private let name: ItemName
  private let writing = Turnstile()

  /// - Parameter now: this device's clock.
  init(_ store: any KeyStore, scope: CredentialScope, now: @escaping @Sendable () -> UnixTime) {
    self.store = store
    self.now = now
    name = scope.item("client")
  }

  var current: Content { content.withLock { $0 } }

  /// The current session as it is now: one whose time is over is expired, whether the server has said so or not.
  var session: FrontendSession? {
    let now = now()
    return content.withLock { content in
      content.client?.currentSession?.at(now.advanced(by: .milliseconds(content.clockOffset)))
    }
  }

  /// Whether the session was good when the server last spoke of it, and its time is over since.
  var hasRunOut: Bool {
    content.withLock { $0.client?.currentSession?.isSignedIn ?? false } && session?.status == .expired
  }

  var environment: FrontendEnvironment? { content.withLock { $0.environment } }

  var identity: Identity {
    content.withLock { content in
      let session = content.client?.currentSession
      return Identity(
        sessionID: session?.id, userID: session?.user?.id, isSignedIn: session?.isSignedIn ?? false)
    }
  }

  /// What a request with a token that is not ours yet is sent with.
  func sending(as token: DeviceToken) -> Sending {
    content.withLock { Sending(token: token, clientID: nil, picture: $0.picture) }
  }

  var sending: Sending { content.withLock { Sending(token: $0.token, clientID: $0.client?.id, picture: $0.picture) } }

  /// Takes what an answer says about token and client.
  /// - Returns: whether anything changed.
  func receive(_ token: TokenChange, _ piggyback: FrontendAnswer.Piggyback, for sending: Sending) -> Bool {
    content.withLock { content in
      let before = content
      // What a request found out about its own token says nothing about one that came meanwhile.
      let isOwn = content.token == sending.token
      var client: FrontendClient?
      if case .client(let received) = piggyback,
        content.picture == sending.picture || Self.isNewer(received, than: content.client)
      {
        client = received
      }
      switch token {
      case .cleared:
        if isOwn {
          content.token = nil
          content.client = nil
        }
      case .replaced(let new):
        if let client {
          content.token = new
          content.client = client
        } else if isOwn {
          content.token = new
        }
      case .unchanged:
        if let client, isOwn { content.client = client }
      }
      if client != nil { content.picture += 1 }
      return content.token != before.token || content.client != before.client
    }
  }

  /// When another picture was taken over since the request was sent, the answers may have overtaken each other: the
  /// server's own time decides then, if it tells one.
  private static func isNewer(_ client: FrontendClient, than old: FrontendClient?) -> Bool {
    guard let old, old.id == client.id, let before = old.updatedAt, let now = client.updatedAt else { return true }
    return now >= before
  }

  /// The server has no client for this token.
  func forgetClient(for sending: Sending) {
    content.withLock { if $0.token == sending.token { $0.client = nil } }
  }

  /// A session that this client has ended is not signed in, whether the answer brought a client along or not.
  func end(session id: String?) {
    content.withLock { content in
      content.picture += 1
      content.client?.sessions.removeAll { id == nil || $0.id == id }
      if let last = content.client?.lastActiveSessionID, id == nil || last == id {
        content.client?.lastActiveSessionID = nil
      }
    }
  }

  func set(environment: FrontendEnvironment) { content.withLock { $0.environment = environment } }

  /// Goes on as another client, which the server knows.
  func adopt(_ token: DeviceToken, _ client: FrontendClient) {
    content.withLock { content in
      content.token = token
      content.client = client
      content.picture += 1
    }
  }

  /// Remembers how far off this device's clock is. Answers differ by what they took on the way: that is no news.
  /// - Returns: whether it is another than was known.
  func note(clock: ServerClock) -> Bool {
    content.withLock { content in
      let (change, overflow) = clock.offset.subtractingReportingOverflow(content.clockOffset)
      guard overflow || change.magnitude > 2000 else { return false }
      content.clockOffset = clock.offset
      return true
    }
  }

  // MARK: From run to run

  /// Reads what is kept, once; what arrived before that stays.
  /// - Throws: `storageFailed` and its like; `integrityFailed` when what is kept cannot be read.
  func load() async throws {
    try await writing.run {
      guard !isLoaded.withLock({ $0 }) else { return }
      let stored = try await store.item(name).map(Self.decode)
      if let stored {
        kept.withLock { $0 = stored }
        content.withLock { if $0 == Content() { $0 = stored } }
      }
      isLoaded.withLock { $0 = true }
    }
  }

  /// Keeps the content as it is when its turn comes, and takes over what another process has changed since: the
  /// settings if they are not newer here, token and client if they are the same here as before.
  /// - Throws: `busy` when this process and another both have a new token: only one can be kept; `storageFailed` and
  ///   its like.
  func save() async throws {
    isBehind.withLock { $0 = true }
    try await writing.run {
      var merged = Content()
      try await store.changeItem(name) { bytes in
        let stored = try bytes.map(Self.decode) ?? Content()
        let base = kept.withLock { $0 }
        merged = try content.withLock { content in
          try Self.merge(stored, since: base, into: &content)
          return content
        }
        // Asked again when another process was faster: by then this much is known of what it wrote.
        kept.withLock { $0 = stored }
        return Self.encode(merged)
      }
      kept.withLock { $0 = merged }
      isBehind.withLock { $0 = false }
    }
  }

  /// Whether the store holds what is known here.
  var isKept: Bool { !isBehind.withLock { $0 } }

  private static func merge(_ theirs: Content, since base: Content, into ours: inout Content) throws {
    if theirs.environment != base.environment, ours.environment == base.environment {
      ours.environment = theirs.environment
    }
    if theirs.clockOffset != base.clockOffset, ours.clockOffset == base.clockOffset {
      ours.clockOffset = theirs.clockOffset
    }
    if theirs.token != base.token, theirs.token != ours.token {
      guard ours.token == base.token || ours.token == nil else {
        throw AuthenticatorError(
          .busy, stage: "trustedDevice.state", reason: "another process has signed in with the same key store meanwhile"
        )
      }
      (ours.token, ours.client) = (theirs.token, theirs.client)
      ours.picture += 1
    } else if theirs.client != base.client, ours.client == base.client {
      ours.client = theirs.client
      ours.picture += 1
    }
  }

  /// A client too large to be kept is left out: the server knows it.
  private static let maximumBytes = 60_000

  private static func encode(_ content: Content) -> [UInt8]? {
    guard content != Content() else { return nil }
    var object = JSONObject([("version", 1)])
    if let token = content.token { object["token"] = .string(token.text) }
    if let environment = content.environment { object["environment"] = .object(environment.json) }
    if content.clockOffset != 0 { object["clock"] = .integer(content.clockOffset) }
    let small = object.serialized()
    guard let client = content.client else { return small }
    object["client"] = .object(client.json)
    let whole = object.serialized()
    return whole.count <= maximumBytes ? whole : small
  }

  private static func decode(_ bytes: [UInt8]) throws -> Content {
    do {
      let object = try JSONValue.parse(bytes, limits: JSONLimits(bytes: 1 << 16, depth: 16))
      var content = Content()
      content.token = object["token"]?.stringValue.flatMap(DeviceToken.init)
      content.client = try object["client"]?.objectValue.map { try FrontendClient($0) }
      content.clockOffset = object["clock"]?.intValue.map { Int64($0) } ?? 0
      content.environment = try object["environment"]?.objectValue.map { try FrontendEnvironment($0) }
      return content
    } catch {
      throw AuthenticatorError(
        .integrityFailed, stage: "trustedDevice.state", reason: "what is kept of the client cannot be read",
        underlying: error)
    }
  }
}
