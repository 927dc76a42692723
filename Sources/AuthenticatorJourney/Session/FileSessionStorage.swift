import AuthenticatorCoding
import AuthenticatorCore
import Dispatch

/// Keeps the session in one file, readable by its owner alone (0600).
///
/// A save writes a new file beside the old one and takes its place in one step, so a reader finds the old or the new
/// content and never half of one. A symbolic link, a file of another owner and a file that others may read are refused.
public struct FileSessionStorage: SessionStorage {
  private let file: PrivateFile
  /// File calls block; they run here and not on Swift's own threads.
  private let queue = DispatchQueue(label: "authenticator.session-file")

  /// Names the file; nothing is touched. Missing folders are made at the first save (0700).
  public init(path: String) { file = PrivateFile(path: path, maximumBytes: 1 << 18) }

  /// - Throws: `storageFailed` for a file that is not one of ours, that others may read, or that cannot be read.
  public func load() async throws -> StoredSession? {
    let file = file
    guard let bytes = try await blocking({ try file.read() }) else { return nil }
    return try SessionFile.decode(bytes, at: file.path)
  }

  /// Finds out whether a session could be saved, before there is one to be lost. Makes missing folders (0700).
  /// - Throws: `storageFailed`.
  public func prepare() async throws {
    let file = file
    try await blocking { try file.prepare() }
  }

  /// - Throws: `storageFailed`.
  public func save(_ session: StoredSession) async throws {
    let file = file
    let bytes = SessionFile.encode(session)
    try await blocking { try file.replace(with: bytes) }
  }

  /// - Throws: `storageFailed`.
  public func clear() async throws {
    let file = file
    try await blocking { try file.remove() }
  }

  private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }
}

/// The file's content: JSON, version 1.
enum SessionFile {
  static func encode(_ stored: StoredSession) -> [UInt8] {
    var object = JSONObject([
      ("version", .integer(1)), ("instance", .string(stored.instance)), ("realm", .string(stored.realm)),
    ])
    if let session = stored.session {
      object["session"] = [
        "tokenId": .string(session.tokenID), "successUrl": .string(session.successURL),
        "realm": .string(session.realm),
      ]
    }
    object["cookies"] = .array(stored.cookies.map(encode))
    return object.serialized()
  }

  private static func encode(_ cookie: Cookie) -> JSONValue {
    [
      "name": .string(cookie.name), "value": .string(cookie.value), "domain": .string(cookie.domain),
      "hostOnly": .bool(cookie.isHostOnly), "path": .string(cookie.path), "secure": .bool(cookie.isSecure),
      "expires": cookie.expires.map { .integer($0.milliseconds) } ?? .null,
    ]
  }

  /// - Throws: `storageFailed`: whatever is wrong with the file, nothing may be concluded from it.
  static func decode(_ bytes: [UInt8], at path: String) throws -> StoredSession {
    let object: JSONObject?
    do {
      object = try JSONValue.parse(bytes, limits: JSONLimits(bytes: 1 << 18, depth: 8)).objectValue
    } catch {
      throw malformed(path, error)
    }
    guard let object, object["version"]?.intValue == 1, let instance = object["instance"]?.stringValue,
      let realm = object["realm"]?.stringValue, let cookies = object["cookies"]?.arrayValue
    else { throw malformed(path) }
    var session: JourneySession?
    if let value = object["session"] {
      guard let token = value["tokenId"]?.stringValue, HTTPToken.isFieldValue(token),
        let successURL = value["successUrl"]?.stringValue, let own = value["realm"]?.stringValue
      else { throw malformed(path) }
      session = JourneySession(tokenID: token, successURL: successURL, realm: own)
    }
    return StoredSession(
      instance: instance, realm: realm, session: session, cookies: try cookies.map { try decodeCookie($0, path) })
  }

  private static func decodeCookie(_ value: JSONValue, _ path: String) throws -> Cookie {
    guard let name = value["name"]?.stringValue, let content = value["value"]?.stringValue,
      !name.isEmpty, name.utf8.allSatisfy(HTTPToken.admits), HTTPToken.isFieldValue(content),
      let domain = value["domain"]?.stringValue, let isHostOnly = value["hostOnly"]?.boolValue,
      let path = value["path"]?.stringValue, let isSecure = value["secure"]?.boolValue
    else { throw malformed(path) }
    return Cookie(
      name: name, value: content, domain: domain, isHostOnly: isHostOnly, path: path, isSecure: isSecure,
      expires: value["expires"]?.intValue.map { UnixTime(milliseconds: Int64($0)) })
  }

  private static func malformed(_ path: String, _ cause: (any Error)? = nil) -> AuthenticatorError {
    AuthenticatorError(
      .storageFailed, stage: "journey.session", reason: "the session file \(path) is damaged or of another kind",
      underlying: cause)
  }
}
