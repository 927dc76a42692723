import AuthenticatorCoding
import AuthenticatorCore

/// A credential of this installation: a key record, read as one.
package struct LocalCredential: Hashable, Sendable {
  package let record: KeyRecord
  /// The server's name of it.
  package let id: String
  package let userID: String
  package let attributes: CredentialAttributes
  package let details: CredentialDetails

  package var tag: KeyTag { record.tag }

  /// - Throws: `integrityFailed` for a record that cannot be read as one.
  package init(_ record: KeyRecord) throws {
    guard let id = record.externalID.flatMap({ String(validating: $0, as: UTF8.self) }) else { throw Self.unreadable }
    try self.init(record, id: id, try CredentialDetails(record.details))
  }

  /// A staged key as the credential it will be, if the server has accepted it under a name that it told beforehand.
  package init(staged record: KeyRecord, id: String) throws {
    try self.init(record, id: id, CredentialDetails(createdAt: record.createdAt, updatedAt: record.createdAt))
  }

  private init(_ record: KeyRecord, id: String, _ details: CredentialDetails) throws {
    guard let account = record.owner.account, let userID = String(validating: account, as: UTF8.self) else {
      throw Self.unreadable
    }
    self.record = record
    self.id = id
    self.userID = userID
    self.details = details
    attributes = try CredentialAttributes(record.attributes)
  }

  fileprivate static var unreadable: AuthenticatorError {
    AuthenticatorError(.integrityFailed, stage: "trustedDevice.record", reason: "the record cannot be read")
  }

  /// Newest first: by the time it was made, the time it was changed, the server's name.
  package static func sorted(_ credentials: [LocalCredential]) -> [LocalCredential] {
    credentials.sorted {
      ($0.details.createdAt, $0.details.updatedAt, $0.id) > ($1.details.createdAt, $1.details.updatedAt, $1.id)
    }
  }
}

extension LocalCredential: CustomStringConvertible {
  /// The tag alone: users' names do not belong in logs.
  package var description: String { "LocalCredential(\(tag))" }
}

/// What is sealed with a credential's key.
package struct CredentialAttributes: Hashable, Sendable {
  package var policy: TrustedDevicePolicy
  /// Normalized.
  package var hint: String?
  package var platform: String
  package var name: String?

  package init(policy: TrustedDevicePolicy, hint: String?, platform: String, name: String?) {
    self.policy = policy
    self.hint = IdentifierHint.normalized(hint)
    self.platform = platform
    self.name = name
  }

  package init(_ bytes: [UInt8]) throws {
    let object = try Self.object(bytes)
    guard let policy = object["policy"]?.stringValue, let platform = object["platform"]?.stringValue else {
      throw LocalCredential.unreadable
    }
    self.init(
      policy: TrustedDevicePolicy(rawValue: policy), hint: object["hint"]?.stringValue, platform: platform,
      name: object["name"]?.stringValue)
  }

  fileprivate static func object(_ bytes: [UInt8]) throws -> JSONObject {
    do {
      if let object = try JSONValue.parse(bytes, limits: JSONLimits(bytes: 1 << 16, depth: 8)).objectValue {
        return object
      }
    } catch {}
    throw LocalCredential.unreadable
  }

  package var bytes: [UInt8] {
    var object = JSONObject([("policy", .string(policy.rawValue)), ("platform", .string(platform))])
    if let hint { object["hint"] = .string(hint) }
    if let name { object["name"] = .string(name) }
    return object.serialized()
  }
}

/// What a credential's record says beside its key, and may say otherwise later.
package struct CredentialDetails: Hashable, Sendable {
  /// On the server's clock.
  package var createdAt: UnixTime
  package var updatedAt: UnixTime
  /// Recovered after an interruption, by the server's list alone: the first signature shows whether it is the right
  /// one.
  package var isUnproven: Bool

  package init(createdAt: UnixTime, updatedAt: UnixTime, isUnproven: Bool = false) {
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.isUnproven = isUnproven
  }

  package init(_ bytes: [UInt8]) throws {
    let object = try CredentialAttributes.object(bytes)
    guard let createdAt = object["createdAt"]?.intValue, let updatedAt = object["updatedAt"]?.intValue else {
      throw LocalCredential.unreadable
    }
    self.init(
      createdAt: UnixTime(milliseconds: Int64(createdAt)), updatedAt: UnixTime(milliseconds: Int64(updatedAt)),
      isUnproven: object["unproven"]?.boolValue ?? false)
  }

  package var bytes: [UInt8] {
    var object = JSONObject([
      ("createdAt", .integer(createdAt.milliseconds)), ("updatedAt", .integer(updatedAt.milliseconds)),
    ])
    if isUnproven { object["unproven"] = true }
    return object.serialized()
  }
}
