/// Why WebAuthn JSON was refused. Names the member, never its value.
public struct WebAuthnJSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What can be wrong.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Not JSON, or not an object.
    case notAnObject
    /// A required member is not there.
    case missing
    /// A member of the wrong JSON type.
    case wrongType
    /// Text that is not base64url (in JavaScript: EncodingError).
    case encoding
    /// A number, length or count outside its bounds (in JavaScript: TypeError).
    case outOfRange
    /// Two members that say different things.
    case contradiction
  }

  /// What is wrong.
  public let kind: Kind
  /// The way to the member, as in `user.id` or `allowCredentials[3].id`.
  public let member: String

  /// An error at a member.
  public init(_ kind: Kind, _ member: String) {
    self.kind = kind
    self.member = member
  }

  public var description: String {
    let what =
      switch kind {
      case .notAnObject: "is not an object"
      case .missing: "is missing"
      case .wrongType: "is of the wrong kind"
      case .encoding: "is not base64url"
      case .outOfRange: "is out of range"
      case .contradiction: "contradicts another member"
      }
    return "\(member.isEmpty ? "the whole" : member) \(what)"
  }
}
