internal import AuthenticatorCoding
package import AuthenticatorJOSE

/// What every step token of this server must say of itself.
package enum StepTokenRules {
  /// What a token is for. A link's token is never taken for a step's.
  package enum Purpose: String, Sendable {
    case authID = "authId"
    case resume
  }

  package static let issuer = "journey-server"
  package static let audience = "journey-server/authenticate"

  /// The rules for a token of this realm and, when given, this tree. Lifetimes are in seconds.
  package static func rules(
    _ purpose: Purpose = .authID, realm: Realm, tree: String?, maximumLifetime: Int
  ) -> ClaimRules {
    var required: [String: JSONValue] = ["realm": .string(realm.path)]
    if let tree { required["tree"] = .string(tree) }
    return ClaimRules(
      issuers: [issuer], audience: audience, purpose: purpose.rawValue, required: required,
      maximumLifetime: maximumLifetime)
  }
}
