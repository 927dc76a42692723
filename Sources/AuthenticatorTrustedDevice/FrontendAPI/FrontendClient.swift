import AuthenticatorCoding
import AuthenticatorCore

/// The server's picture of this client: its sessions and what is under way. It comes along with every answer.
struct FrontendClient: Hashable, Sendable {
  var id: String
  var sessions: [FrontendSession]
  var lastActiveSessionID: String?
  /// The sign-in under way.
  var signInID: String?
  /// How the last sign-in was made.
  var lastStrategy: SignIn.Strategy?
  /// When the server changed it last; tells an old picture from a newer one.
  var updatedAt: UnixTime?

  /// - Throws: `invalidMessage`, naming the member.
  init(_ json: JSONObject) throws {
    let reader = MemberReader(json, of: "client")
    id = try reader.identifier("id")
    sessions = try reader.elements("sessions").map { value in
      guard let object = value.objectValue else {
        throw AuthenticatorError(.invalidMessage, stage: "frontend.answer", reason: "a session is no object")
      }
      return try FrontendSession(object)
    }
    lastActiveSessionID = try reader.optionalText("last_active_session_id")
    signInID = json["sign_in"]?["id"]?.stringValue
    lastStrategy = try reader.optionalText("last_authentication_strategy").map(SignIn.Strategy.init)
    updatedAt = try reader.optionalTime("updated_at")
  }

  /// The session that requests are made in.
  var currentSession: FrontendSession? {
    lastActiveSessionID.flatMap { id in sessions.first { $0.id == id } }
  }

  /// What is kept between two runs of an app.
  var json: JSONObject {
    var object = JSONObject([
      ("object", "client"), ("id", .string(id)), ("sessions", .array(sessions.map { .object($0.json) })),
    ])
    if let lastActiveSessionID { object["last_active_session_id"] = .string(lastActiveSessionID) }
    if let updatedAt { object["updated_at"] = .integer(updatedAt.milliseconds) }
    if let lastStrategy { object["last_authentication_strategy"] = .string(lastStrategy.rawValue) }
    return object
  }
}
