/// What is wrong with an expectation in JSON; names the member, never its value.
public struct ExpectationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The way to the member, as in `credential.id`; empty for the whole.
  public let member: String
  /// Whether nobody looks at the member, which may be a misspelled one.
  public let isUnknown: Bool
  /// Whether the member is well formed, and nothing could ever succeed with it.
  public let isUseless: Bool

  /// An error at a member.
  public init(_ member: String, isUnknown: Bool = false, isUseless: Bool = false) {
    self.member = member
    self.isUnknown = isUnknown
    self.isUseless = isUseless
  }

  public var description: String {
    member.isEmpty ? "the whole is not an object" : "\(member) \(complaint)"
  }

  /// What is wrong with the member.
  public var complaint: String {
    if isUseless { return "lets nothing succeed" }
    return isUnknown ? "is unknown" : "is missing or malformed"
  }
}
