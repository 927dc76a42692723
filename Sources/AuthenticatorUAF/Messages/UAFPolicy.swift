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

  init(_ element: JSONElement?) throws {
    guard let members = element?.members else { throw MessageMembers.error("policy", "is missing or no object") }
    self.init(accepted: [])
    for (name, value) in members {
      switch name {
      case "accepted": accepted = try Self.list(name, value).map { try Self.criteria($0) }
      case "disallowed": disallowed = try Self.list(name, value).map { try MatchCriteria($0) }
      default: throw MessageMembers.unknown(name, in: "policy")
      }
    }
    guard !accepted.isEmpty else { throw MessageMembers.error("policy.accepted", "is missing") }
  }

  /// Reads the JSON form.
  init(_ value: JSONValue?) throws {
    try self.init(value.map { try MessageMembers($0, "policy").object })
  }

  private static func list(_ name: String, _ value: JSONElement) throws -> JSONElements {
    guard let list = value.elements, case let count = list.count, count > 0 else {
      throw MessageMembers.error("policy.\(name)", "is malformed")
    }
    guard count <= UAFLimits.policyEntries else {
      throw MessageMembers.error("policy.\(name)", "has more than \(UAFLimits.policyEntries) entries")
    }
    return list
  }

  private static func criteria(_ set: JSONElement) throws -> [MatchCriteria] {
    guard let criteria = set.elements, case let count = criteria.count, count > 0 else {
      throw MessageMembers.error("policy.accepted", "is malformed")
    }
    guard count <= UAFLimits.setCriteria else {
      throw MessageMembers.error("policy.accepted", "has a set of more than \(UAFLimits.setCriteria) criteria")
    }
    return try criteria.map { try MatchCriteria($0) }
  }

  /// Whether a model could be admitted at all: some criterion names it, or names no models.
  func mayAdmit(_ aaid: AAID) -> Bool {
    accepted.contains { set in set.contains { $0.aaid?.contains(aaid) ?? true } }
  }
}
