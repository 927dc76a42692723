/// What is wrong with an expectation in JSON; names the member, never its value.
public struct ExpectationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The way to the member, as in `credential.id`; empty for the whole.
  public let member: String
  /// Whether nobody looks at the member, which may be a misspelled one.
  public let isUnknown: Bool

  /// An error at a member.
  public init(_ member: String, isUnknown: Bool = false) {
    self.member = member
    self.isUnknown = isUnknown
  }

  public var description: String {
    member.isEmpty ? "the expectation is not an object" : "\(member) \(complaint)"
  }

  /// What is wrong with the member.
  public var complaint: String { isUnknown ? "is unknown" : "is missing or malformed" }
}
