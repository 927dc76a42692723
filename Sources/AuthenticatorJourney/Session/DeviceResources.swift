import AuthenticatorCoding
import AuthenticatorCore

/// The devices of one family that the signed-in user has on the server: `…/users/{id}/devices/2fa/{family}`.
package struct DeviceResources: Sendable {
  private let journey: Journey
  private let family: String

  /// - Parameter family: `binding`, `webauthn`.
  package init(journey: Journey, family: String) {
    self.journey = journey
    self.family = family
  }

  /// Who is signed in.
  /// - Throws: `invalidRequest` when nobody is; `serverRefused`; `invalidMessage`; as the transport.
  package func user() async throws -> SessionUser {
    let response = try await journey.sessionRequest(
      "POST", path: "users", query: "_action=idFromSession", version: "resource=2.1, protocol=1.0", body: JSONObject())
    let object = try object(response)
    guard let id = object["id"]?.stringValue, !id.isEmpty, let dn = object["dn"]?.stringValue, !dn.isEmpty else {
      throw Self.malformed("the session's user has no id or dn")
    }
    return SessionUser(id: id, universalID: dn)
  }

  /// All entries of a user.
  /// - Throws: as `user()`; `invalidMessage` also for a list that is not complete, from which nothing must be
  ///   concluded.
  package func list(of user: SessionUser) async throws -> [JSONValue] {
    let response = try await journey.sessionRequest(
      "GET", path: path(user), query: "_queryFilter=true", version: "resource=1.0, protocol=1.0")
    let object = try object(response)
    guard let entries = object["result"]?.arrayValue else { throw Self.malformed("the device list has no result") }
    let count = object["resultCount"]?.wholeNumberValue ?? entries.count
    let cookie = object["pagedResultsCookie"] ?? .null
    let remaining = object["remainingPagedResults"]?.wholeNumberValue ?? 0
    guard count == entries.count, cookie.isNull || cookie == "", remaining <= 0 else {
      throw Self.malformed("the device list is not complete")
    }
    return entries
  }

  /// Deletes one entry; false: there was none.
  /// - Throws: `serverRefused`; as the transport.
  package func delete(_ id: String, of user: SessionUser) async throws -> Bool {
    let response = try await journey.sessionRequest(
      "DELETE", path: "\(path(user))/\(PercentEncoding.encode(id))", version: "resource=1.0, protocol=1.0")
    if response.status == 404 { return false }
    guard (200..<300).contains(response.status) else { throw Self.refused(response.status) }
    return true
  }

  private func path(_ user: SessionUser) -> String {
    "users/\(PercentEncoding.encode(user.id))/devices/2fa/\(family)"
  }

  private func object(_ response: HTTPResponse) throws -> JSONObject {
    guard (200..<300).contains(response.status) else { throw Self.refused(response.status) }
    let limits = journey.configuration.limits
    do {
      let value = try JSONValue.parse(
        response.body,
        limits: JSONLimits(limits))
      if let object = value.objectValue { return object }
    } catch {
      throw AuthenticatorError(
        .invalidMessage, stage: "devices", reason: "the answer is refused as JSON: \(error.kind.rawValue)",
        underlying: error)
    }
    throw Self.malformed("the answer is no JSON object")
  }

  private static func malformed(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidMessage, stage: "devices", reason: reason)
  }

  private static func refused(_ status: Int) -> AuthenticatorError {
    AuthenticatorError(.serverRefused, stage: "devices", reason: "the server answered \(status)")
  }
}
