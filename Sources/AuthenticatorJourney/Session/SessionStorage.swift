import AuthenticatorCore

/// Keeps one client's session and its persistent cookies between two runs of the app.
///
/// Conform to it to keep them elsewhere. Owed: what `save` returned from survives a crash; `load` tells absent (nil)
/// from unreadable (`storageFailed`); nothing shows the content in logs. Two clients need two storages.
public protocol SessionStorage: Sendable {
  /// Nil: nothing was saved.
  func load() async throws -> StoredSession?
  /// Replaces what is kept.
  func save(_ session: StoredSession) async throws
  /// Forgets everything; nothing to forget is no error.
  func clear() async throws
}

/// What a `SessionStorage` keeps.
public struct StoredSession: Hashable, Sendable {
  /// The server it belongs to; a client of another server refuses it.
  public var instance: String
  /// The client's realm as a path.
  public var realm: String
  /// Nil: only cookies are kept.
  public var session: JourneySession?
  /// The cookies whose names the client's configuration lists.
  public var cookies: [Cookie]

  /// Makes a record; the client does.
  public init(instance: String, realm: String, session: JourneySession?, cookies: [Cookie] = []) {
    self.instance = instance
    self.realm = realm
    self.session = session
    self.cookies = cookies
  }
}

/// Keeps the session as long as the process lives.
public actor InMemorySessionStorage: SessionStorage {
  private var content: StoredSession?

  /// Makes a storage, empty unless given a content.
  public init(_ content: StoredSession? = nil) { self.content = content }

  public func load() -> StoredSession? { content }
  public func save(_ session: StoredSession) { content = session }
  public func clear() { content = nil }
}
