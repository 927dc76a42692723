import AuthenticatorCoding
import AuthenticatorCore

/// A sign-up as the server describes it.
public struct SignUp: Hashable, Sendable, Identifiable {
  /// The server's name of the sign-up.
  public let id: String
  /// Where it stands.
  public let status: Status
  /// The session it made; nil unless complete.
  public let createdSessionID: String?
  /// The user it made; nil unless complete.
  public let createdUserID: String?
  /// What the server still wants to know.
  public let missingFields: [String]
  /// What it knows and wants proved.
  public let unverifiedFields: [String]

  /// Where a sign-up stands. Open: an unknown word is kept.
  public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String
    /// Takes a word as received.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// Given up.
    public static let abandoned = Self(rawValue: "abandoned")
    /// Something is missing or unproved.
    public static let missingRequirements = Self(rawValue: "missing_requirements")
    /// There is a user and a session.
    public static let complete = Self(rawValue: "complete")
  }

  /// Reads the server's object; unknown members are ignored.
  /// - Throws: `invalidMessage`, naming the member.
  public init(_ json: JSONObject) throws {
    let reader = MemberReader(json, of: "sign-up")
    id = try reader.identifier("id")
    status = Status(rawValue: try reader.text("status"))
    createdSessionID = try reader.optionalIdentifier("created_session_id")
    createdUserID = try reader.optionalIdentifier("created_user_id")
    missingFields = try reader.elements("missing_fields").compactMap(\.stringValue)
    unverifiedFields = try reader.elements("unverified_fields").compactMap(\.stringValue)
  }
}
