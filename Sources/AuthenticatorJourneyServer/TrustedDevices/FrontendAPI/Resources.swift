internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorJOSE
internal import AuthenticatorRelyingParty

// The objects of the Frontend API. Times are milliseconds since the epoch; what this server has not is null or left
// out.

extension UnixTime {
  var json: JSONValue { .integer(milliseconds) }
}

extension TrustedDeviceRecord {
  /// The object on the wire. The public key is not shown, but its thumbprint is, which the vendor's servers leave out:
  /// a client that lost an answer finds its own credential by it.
  var resource: JSONValue {
    [
      "id": .string(id), "object": "trusted_device", "platform": .string(platform),
      "app_identifier": .string(appIdentifier), "name": name.map(JSONValue.string) ?? .null, "algorithm": "ES256",
      "status": isActive ? "active" : "revoked", "created_at": createdAt.json, "updated_at": updatedAt.json,
      "last_used_at": lastUsedAt?.json ?? .null, "revoked_at": revokedAt?.json ?? .null,
      "public_key_thumbprint": thumbprint,
    ]
  }

  /// Of RFC 7638; null for a stored key that cannot be read.
  private var thumbprint: JSONValue {
    guard let key = try? TrustedDeviceKey(x963Representation: publicKey) else { return .null }
    return .string(Base64URL.encode(JWK(key.publicKey).thumbprint))
  }
}

extension UserRecord {
  var resource: JSONValue {
    [
      "id": .string(id), "object": "user", "username": .string(name), "first_name": .null, "last_name": .null,
      "email_addresses": [], "phone_numbers": [], "primary_email_address_id": .null, "primary_phone_number_id": .null,
      "password_enabled": .bool(password != nil),
    ]
  }
}

extension ClientSessionRecord {
  func resource(user: UserRecord?, now: UnixTime) -> JSONValue {
    [
      "object": "session", "id": .string(id), "status": .string(status(at: now).rawValue),
      "expire_at": expiresAt.json, "abandon_at": expiresAt.json, "last_active_at": updatedAt.json,
      "last_active_organization_id": .null, "actor": .null, "last_active_token": .null,
      "tasks": .array(tasks.map { ["key": .string($0)] }), "user": user?.resource ?? .null,
      "public_user_data": [
        "user_id": .string(userID), "identifier": user.map { .string($0.name) } ?? .null, "first_name": .null,
        "last_name": .null,
      ], "created_at": createdAt.json, "updated_at": updatedAt.json,
    ]
  }
}

extension FrontendCall {
  /// The client with its sessions: those that are live or have expired. Null: there is no client.
  func clientJSON(signIn: JSONValue = .null) async throws -> JSONValue {
    guard let client else { return .null }
    // What is over is not shown, and counts for when the client changed last and how somebody last signed in.
    let history = try await registry.clientSessions(ofClient: client.digest).filter { $0.realm == realm }
    let sessions = history.filter { $0.status(at: now).isLive || $0.status(at: now) == .expired }
    var resources: [JSONValue] = []
    for session in sessions {
      resources.append(
        session.resource(user: try await registry.user(id: session.userID, in: session.realm), now: now))
    }
    let live = sessions.first { $0.status(at: now).isLive }
    let updatedAt = history.map(\.updatedAt).max() ?? client.createdAt
    return [
      "object": "client", "id": .string(client.id), "sessions": .array(resources), "sign_in": signIn, "sign_up": .null,
      "last_active_session_id": live.map { .string($0.id) } ?? .null,
      "last_authentication_strategy": history.first.map { .string(word(for: $0.strategy)) } ?? .null,
      "cookie_expires_at": .null, "created_at": client.createdAt.json, "updated_at": updatedAt.json,
    ]
  }

  /// Sessions remember that a trusted device signed in, not which word was configured then.
  private func word(for strategy: String) -> String {
    TrustedDeviceSettings.isTrustedDevice(strategy) ? settings.strategy.rawValue : strategy
  }
}
