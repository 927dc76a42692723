internal import AuthenticatorCoding
internal import AuthenticatorCore

/// `POST …/sessions?_action=…`: logout, session information and validation.
struct SessionsEndpoint: RESTEndpoint {
  func respond(to request: RESTRequest, server: JourneyServer) async throws -> ServerResponse? {
    guard request.path == ["sessions"] else { return nil }
    guard request.request.method == "POST" else { throw RESTFailure.methodNotAllowed(allowed: "POST") }
    let body = try request.bodyObject(limits: server.configuration.limits)
    let token = body["tokenId"]?.stringValue ?? request.parameter("tokenId") ?? server.sessionToken(of: request)
    switch request.parameter("_action") {
    case "logout": return try await logOut(token, request: request, server: server)
    case "getSessionInfo": return try await information(token, request: request, server: server)
    case "validate": return try await validate(token, request: request, server: server)
    default: throw RESTFailure(status: 501, message: "Action not supported")
    }
  }

  private func logOut(_ token: String?, request: RESTRequest, server: JourneyServer) async throws -> ServerResponse {
    guard let token, try await server.endSession(token: token) else { throw RESTFailure.accessDenied }
    let hasCookie = SessionCarriers(server.configuration.sessionCookie, for: request.request).cookie
    return .json(["result": "Successfully logged out"], fields: hasCookie ? [server.sessionCookie(nil)] : [])
  }

  private func information(
    _ token: String?, request: RESTRequest, server: JourneyServer
  ) async throws -> ServerResponse {
    guard let token, let session = try await server.session(token: token, in: request.realm) else {
      throw RESTFailure.accessDenied
    }
    return .json([
      "username": .string(session.username),
      "universalId": .string(session.realm.universalID(of: session.userID)),
      "realm": .string(session.realm.path),
      "latestAccessTime": .string(TimeText.rfc3339(server.now)),
      "maxIdleExpirationTime": .string(TimeText.rfc3339(session.expiresAt)),
      "maxSessionExpirationTime": .string(TimeText.rfc3339(session.expiresAt)),
      "properties": [:],
    ])
  }

  private func validate(
    _ token: String?, request: RESTRequest, server: JourneyServer
  ) async throws -> ServerResponse {
    guard let token, let session = try await server.session(token: token, in: request.realm) else {
      return .json(["valid": false])
    }
    return .json(["valid": true, "uid": .string(session.username), "realm": .string(session.realm.path)])
  }
}

/// Times as text.
enum TimeText {
  /// `2026-01-01T00:00:00Z` (RFC 3339), in whole seconds, in the proleptic Gregorian calendar.
  static func rfc3339(_ time: UnixTime) -> String {
    // Years 0 to 9999; anything else is held at the ends.
    let seconds = min(max(time.seconds, -62_167_219_200), 253_402_300_799)
    let (days, second) = Self.divide(seconds, by: 86_400)
    // Days counted from 0000-03-01, so that the leap day is the last of its year.
    let shifted = days + 719_468
    let (era, dayOfEra) = Self.divide(shifted, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let calendarMonth = month < 10 ? month + 3 : month - 9
    let year = yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0)
    return "\(pad(year, 4))-\(pad(calendarMonth, 2))-\(pad(day, 2))"
      + "T\(pad(second / 3600, 2)):\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2))Z"
  }

  private static func divide(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
    let quotient = value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    return (quotient, value - quotient * divisor)
  }

  private static func pad(_ value: Int64, _ width: Int) -> String {
    let text = "\(value)"
    return String(repeating: "0", count: max(width - text.count, 0)) + text
  }
}
