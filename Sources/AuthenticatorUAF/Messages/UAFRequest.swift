import AuthenticatorCoding
import AuthenticatorCore

/// A request of a server in the version that was chosen.
public enum UAFRequest: Sendable {
  /// Asks for a new key.
  case registration(UAFRegistrationRequest)
  /// Asks for a signature.
  case authentication(UAFAuthenticationRequest)
  /// Asks to forget keys.
  case deregistration(UAFDeregistrationRequest)

  /// A text of more bytes is no message.
  public static let maximumBytes = 1 << 20

  /// Reads a message: a list with one entry for each version, of which the highest known one is taken.
  /// - Throws: `invalidMessage`; `unsupportedVersion` when no entry is of a known version.
  public init(_ text: String, versions: [UAFVersion] = UAFVersion.supported) throws {
    self = try UAFRequestEntries(text, versions: versions).best()
  }

  init(_ entry: JSONElement, _ policies: LastPolicy = LastPolicy()) throws {
    let header = try OperationHeader(entry["header"])
    switch header.op {
    case .registration: self = .registration(try UAFRegistrationRequest(entry, header, policies))
    case .authentication: self = .authentication(try UAFAuthenticationRequest(entry, header, policies))
    case .deregistration: self = .deregistration(try UAFDeregistrationRequest(entry, header))
    }
  }

  /// What stands at its head.
  public var header: OperationHeader {
    switch self {
    case .registration(let request): request.header
    case .authentication(let request): request.header
    case .deregistration(let request): request.header
    }
  }
}

/// Asks for a new key (FIDO UAF Protocol, section "RegistrationRequest").
public struct UAFRegistrationRequest: Sendable {
  /// What stands at its head.
  public let header: OperationHeader
  /// The server's challenge, as received.
  public let challenge: String
  /// The name of the account.
  public let username: String
  /// Which authenticators may make the key.
  public let policy: UAFPolicy

  init(_ value: JSONElement, _ header: OperationHeader, _ policies: LastPolicy) throws {
    let members = try MessageMembers(value, "message")
    self.header = header
    challenge = try members.challenge()
    username = try members.text("username", 1...128)
    policy = try policies.policy(members.object["policy"])
  }
}

/// Asks for a signature (FIDO UAF Protocol, section "AuthenticationRequest").
public struct UAFAuthenticationRequest: Sendable {
  /// What stands at its head.
  public let header: OperationHeader
  /// The server's challenge, as received.
  public let challenge: String
  /// One transaction in several forms, of which one is shown; empty: there is none.
  public let transaction: [UAFTransaction]
  /// Which authenticators may sign.
  public let policy: UAFPolicy

  init(_ value: JSONElement, _ header: OperationHeader, _ policies: LastPolicy) throws {
    let members = try MessageMembers(value, "message")
    self.header = header
    challenge = try members.challenge()
    transaction = try members.optionalList("transaction", maximum: 16)?.map { try UAFTransaction($0) } ?? []
    policy = try policies.policy(members.object["policy"])
  }
}

/// Asks to forget keys (FIDO UAF Protocol, section "DeregistrationRequest").
public struct UAFDeregistrationRequest: Sendable {
  /// One key, the keys of one model, or all keys of the application.
  public enum Scope: Hashable, Sendable {
    /// This key.
    case key(AAID, UAFKeyID)
    /// All keys of this model.
    case model(AAID)
    /// All keys.
    case everything
  }

  /// What stands at its head.
  public let header: OperationHeader
  /// What is to be forgotten.
  public let authenticators: [Scope]

  init(_ value: JSONElement, _ header: OperationHeader) throws {
    let members = try MessageMembers(value, "message")
    self.header = header
    let authenticators = try members.list("authenticators").map { try Self.scope($0, header.upv) }
    // "All" beside anything else is no request that could be meant.
    if authenticators.contains(.everything), authenticators.count > 1 { throw members.malformed("authenticators") }
    self.authenticators = authenticators
  }

  private static func scope(_ value: JSONElement, _ version: UAFVersion) throws -> Scope {
    let members = try MessageMembers(value, "authenticators")
    guard let aaid = members.object["aaid"]?.stringValue else { throw members.malformed("aaid") }
    guard let keyID = members.object["keyID"]?.stringValue else { throw members.malformed("keyID") }
    // Wildcards came with 1.1.
    if keyID.isEmpty, version < .v11 { throw members.malformed("keyID") }
    if aaid.isEmpty {
      guard keyID.isEmpty else { throw members.malformed("aaid") }
      return .everything
    }
    guard let model = AAID(aaid) else { throw members.malformed("aaid") }
    if keyID.isEmpty { return .model(model) }
    guard let key = UAFKeyID(keyID) else { throw members.malformed("keyID") }
    return .key(model, key)
  }
}

extension MessageMembers {
  /// A server's challenge: base64url of 8 to 64 bytes, kept as text.
  fileprivate func challenge() throws -> String {
    guard let element = object["challenge"], let count = element.base64URLCount, (8...64).contains(count),
      let text = element.stringValue
    else { throw malformed("challenge") }
    return text
  }
}
