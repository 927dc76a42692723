internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// The Frontend API at `/v1`: environment, client, sign-in, sign-up, sessions and trusted devices, as the vendor's
/// native SDKs speak it.
struct FrontendAPI: ServerRoute {
  private static let endpoints: [any FrontendEndpoint] = [
    ClientEndpoint(), SignInsEndpoint(), SignUpsEndpoint(), ClientSessionsEndpoint(), ValidateEndpoint(),
    TrustedDevicesEndpoint(),
  ]

  func respond(to request: ServerRequest, server: JourneyServer) async throws -> ServerResponse? {
    do {
      guard let request = try FrontendRequest(request, contextPath: server.configuration.contextPath) else {
        return nil
      }
      var call = FrontendCall(request, server: server)
      do {
        return try await Self.route(&call)
      } catch {
        // A token that was just made goes out with a refusal too: the next request may bring it.
        return try refuse(error, call.tokenField, server)
      }
    } catch let failure as FrontendFailure {
      return try refuse(failure, [], server)
    }
  }

  private static func route(_ call: inout FrontendCall) async throws -> ServerResponse {
    if call.request.path == ["environment"] { return try EnvironmentEndpoint.respond(to: call) }
    guard call.settings.nativeAPI else { throw FrontendFailure(.nativeAPIDisabled) }
    // A browser sends its origin along with what a page has it post, and no app does.
    guard call.request.query.flag("_is_native"), call.request.request.field("Origin") == nil else {
      throw FrontendFailure(.nativeRequestRequired)
    }
    if let installation = call.request.installation, call.settings.blockedDevices.contains(installation) {
      throw FrontendFailure(.deviceBlocked)
    }
    guard !call.settings.requiresDeviceAttestation else { throw FrontendFailure(.requiresDeviceAttestation) }
    for endpoint in endpoints {
      if let response = try await endpoint.respond(to: &call) { return response }
    }
    throw FrontendFailure(.resourceNotFound)
  }

  private func refuse(_ error: any Error, _ fields: [HTTPField], _ server: JourneyServer) throws -> ServerResponse {
    let failure = FrontendFailure(error)
    if failure.code == .internalError || error is RegistryError {
      server.configuration.log(.fault((error as? any CustomStringConvertible)?.description ?? "\(type(of: error))"))
    }
    let trace = Hex.encode(try server.configuration.environment.random(16))
    return failure.response(traceID: trace, fields: fields)
  }
}

/// One part of the Frontend API.
protocol FrontendEndpoint: Sendable {
  /// Answers, or returns nil when the request is not for this part.
  ///
  /// Throws `FrontendFailure` to refuse.
  func respond(to call: inout FrontendCall) async throws -> ServerResponse?
}
