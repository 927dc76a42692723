/// What is wrong with an expectation in JSON; names the member, never its value.
public struct ExpectationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The way to the member, as in `credential.id`; empty for the whole.
  public let member: String

  /// An error at a member.
  public init(_ member: String) { self.member = member }

  public var description: String {
    member.isEmpty ? "the expectation is not an object" : "\(member) is missing or malformed"
  }
}
