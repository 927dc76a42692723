internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// A sign-in on its way. All of it stands, sealed, in its id, so that nothing is kept for somebody who may never
/// return.
struct SignInState: Hashable, Sendable {
  /// How a sign-in was begun.
  enum Subject: Hashable, Sendable {
    /// By a name that somebody typed; whether anybody has it is not looked up.
    case name(String)
    /// By a credential.
    case device(String)
  }

  /// How long the first factor is waited for.
  static let lifetime: Duration = .seconds(600)
  private static let prefix = "sia_"

  /// As on the wire.
  let id: String
  let clientID: String
  let subject: Subject
  let expiresAt: UnixTime

  init(client: FrontendClient, subject: Subject, now: UnixTime, seal: Seal) throws {
    clientID = client.digest
    self.subject = subject
    expiresAt = now.advanced(by: Self.lifetime)
    var content: JSONObject = ["c": .string(clientID), "e": .integer(expiresAt.milliseconds)]
    switch subject {
    case .name(let name): content["n"] = .string(name)
    case .device(let id): content["d"] = .string(id)
    }
    id = Self.prefix + (try seal.seal(content, for: .signIn))
  }

  /// Reads an id; nil: it is none of this server's, or of another client.
  init?(id: String, client: FrontendClient, seal: Seal) {
    guard id.hasPrefix(Self.prefix), let content = seal.open(String(id.dropFirst(Self.prefix.count)), for: .signIn),
      content["c"] == .string(client.digest), let expiry = content["e"]?.intValue
    else { return nil }
    if let name = content["n"]?.stringValue {
      subject = .name(name)
    } else if let device = content["d"]?.stringValue {
      subject = .device(device)
    } else {
      return nil
    }
    self.id = id
    clientID = client.digest
    expiresAt = UnixTime(milliseconds: Int64(expiry))
  }

  /// What a challenge is bound to, so that it is good for this sign-in alone.
  var context: String { Base64URL.encode(SHA256.hash(Array(id.utf8)).prefix(16)) }

  /// Whether it waits for a factor, or a session came of it.
  enum Outcome: Sendable {
    case waiting(DeviceChallenge?)
    case complete(ClientSessionRecord)
  }

  /// The object on the wire. The strategy is the word of whoever has signed in, or of the challenge.
  func resource(_ outcome: Outcome, settings: TrustedDeviceSettings) -> JSONValue {
    var verification = JSONValue.null
    var status: JSONValue = "needs_first_factor"
    var session = JSONValue.null
    switch outcome {
    case .waiting(nil): break
    case .waiting(let challenge?):
      verification = [
        "object": "verification_trusted_device", "status": "unverified",
        "strategy": .string(settings.strategy.rawValue),
        "attempts": .null, "expire_at": challenge.expiresAt.json, "trusted_device_challenge": challenge.json,
      ]
    case .complete(let made):
      status = "complete"
      session = .string(made.id)
      verification = [
        "object": "verification", "status": "verified", "strategy": .string(made.strategy), "attempts": .null,
        "expire_at": expiresAt.json,
      ]
    }
    return [
      "object": "sign_in_attempt", "id": .string(id), "status": status, "identifier": identifier,
      "supported_identifiers": ["username"], "supported_first_factors": .array([factor(settings)]),
      "supported_second_factors": .null, "first_factor_verification": verification,
      "second_factor_verification": .null, "user_data": .null, "created_session_id": session,
      "abandon_at": expiresAt.json,
    ]
  }

  private var identifier: JSONValue {
    if case .name(let name) = subject { return .string(name) }
    return .null
  }

  private func factor(_ settings: TrustedDeviceSettings) -> JSONValue {
    switch subject {
    case .name: ["strategy": "password"]
    case .device(let id): ["strategy": .string(settings.strategy.rawValue), "trusted_device_id": .string(id)]
    }
  }
}
