internal import AuthenticatorCoding

/// `…/users/{id}/devices/2fa/{family}`: the devices of one family that the session's own user has.
struct DevicesEndpoint: RESTEndpoint {
  let family: DeviceRecord.Family
  /// A device as the list shows it.
  let json: @Sendable (DeviceRecord) -> JSONValue

  func respond(to request: RESTRequest, server: JourneyServer) async throws -> ServerResponse? {
    let path = request.path
    guard path.count >= 5, path.count <= 6, path[0] == "users", path[2...4] == ["devices", "2fa", family.rawValue]
    else {
      return nil
    }
    let session = try await server.session(of: request, asUser: path[1])
    switch (request.request.method, path.count) {
    case ("GET", 5):
      guard request.parameter("_queryFilter") == "true" else {
        throw RESTFailure.badRequest("Only _queryFilter=true is supported")
      }
      return try await list(session, server: server)
    case ("GET", 6):
      let device = try await device(path[5], of: session, server: server)
      return .json(json(device))
    case ("DELETE", 6):
      let device = try await device(path[5], of: session, server: server)
      let removed = try await server.registry.removeDevice(
        device.externalID, ofUser: session.userID, family: family, realm: session.realm)
      guard let removed else { throw RESTFailure.notFound() }
      return .json(json(removed))
    case (_, 5): throw RESTFailure.methodNotAllowed(allowed: "GET")
    default: throw RESTFailure.methodNotAllowed(allowed: "GET", "DELETE")
    }
  }

  private func list(_ session: SessionRecord, server: JourneyServer) async throws -> ServerResponse {
    let devices = try await server.registry.devices(
      ofUser: session.userID, family: family, realm: session.realm)
    return .json([
      "result": .array(devices.map(json)), "resultCount": .integer(Int64(devices.count)),
      "pagedResultsCookie": nil, "totalPagedResultsPolicy": "NONE", "totalPagedResults": -1,
      "remainingPagedResults": -1,
    ])
  }

  /// The user's device of this external id, or of this `uuid`.
  private func device(
    _ name: String, of session: SessionRecord, server: JourneyServer
  ) async throws -> DeviceRecord {
    let devices = try await server.registry.devices(
      ofUser: session.userID, family: family, realm: session.realm)
    guard let device = devices.first(where: { $0.externalID == name }) ?? devices.first(where: { $0.uuid == name })
    else { throw RESTFailure.notFound() }
    return device
  }
}

extension DeviceRecord {
  /// A bound device as the list shows it; times in milliseconds.
  var bindingJSON: JSONValue {
    [
      "_id": .string(externalID), "createdDate": .integer(createdAt.milliseconds),
      "lastAccessDate": .integer(lastAccessAt.milliseconds), "deviceId": .string(deviceID),
      "deviceName": .string(name), "uuid": .string(uuid), "key": .object(key), "deviceManagementStatus": false,
      "recoveryCodes": [],
    ]
  }

  /// A WebAuthn credential as the list shows it; times in milliseconds. Recovery codes are kept as digests, so there
  /// are none to show.
  var webAuthnJSON: JSONValue {
    [
      "_id": .string(uuid), "createdDate": .integer(createdAt.milliseconds),
      "lastAccessDate": .integer(lastAccessAt.milliseconds), "credentialId": .string(externalID),
      "deviceName": .string(name), "uuid": .string(uuid), "deviceManagementStatus": false, "recoveryCodes": [],
    ]
  }
}
