import AuthenticatorCoding
import AuthenticatorCore

/// Which authenticators a server admits (FIDO UAF Protocol, section "Policy").
public struct UAFPolicy: Hashable, Sendable {
  /// Sets in order of preference; of the chosen set, every criterion must be served.
  public var accepted: [[MatchCriteria]]
  /// An authenticator that matches one of these is left out.
  public var disallowed: [MatchCriteria]

  /// Makes a policy.
  public init(accepted: [[MatchCriteria]], disallowed: [MatchCriteria] = []) {
    self.accepted = accepted
    self.disallowed = disallowed
  }

  private static let known: Set<String> = ["accepted", "disallowed"]

  init(_ value: JSONValue?) throws {
    let members = try MessageMembers(value, "policy")
    try members.admit(Self.known)
    accepted = try members.list("accepted").map { set in
      guard let criteria = set.arrayValue, (1...64).contains(criteria.count) else {
        throw members.malformed("accepted")
      }
      return try criteria.map { try MatchCriteria($0) }
    }
    disallowed = try members.optionalList("disallowed")?.map { try MatchCriteria($0) } ?? []
  }

  /// Whether a model could be admitted at all: some criterion names it, or names no models.
  func mayAdmit(_ aaid: AAID) -> Bool {
    accepted.contains { set in set.contains { $0.aaid?.contains(aaid) ?? true } }
  }
}
