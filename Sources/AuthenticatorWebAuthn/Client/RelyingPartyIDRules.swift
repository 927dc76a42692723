/// Which relying party IDs an origin may use (WebAuthn Level 3 sections 5.1.3 and 5.1.4; HTML, "is a registrable domain
/// suffix of or is equal to").
struct RelyingPartyIDRules: Sendable {
  /// Nil: only equality counts.
  var suffixes: (any PublicSuffixList)?
  /// Whether `http://localhost` counts as a secure context.
  var allowsLocalhost: Bool
  /// Origins that are not web origins, each with the relying party IDs it may use.
  var nativeOrigins: [String: Set<String>]

  enum Verdict: Hashable {
    /// The ID to be used, in the form that is hashed.
    case allowed(String)
    /// Not by this origin's own right; the relying party may have named the origin.
    case unrelated(String)
    case refused
  }

  /// - Parameter requested: as the options give it; nil: the origin's effective domain.
  func judge(origin: String, requested: String?) -> Verdict {
    if let permitted = nativeOrigins[origin] {
      // The platform's association of app and domain decides, not the text of the origin.
      guard let requested else {
        return permitted.count == 1 ? permitted.first.map(Verdict.allowed) ?? .refused : .refused
      }
      let id = Domain.lowercased(requested)
      return permitted.contains(id) && Domain.isDomain(id) ? .allowed(id) : .refused
    }
    guard let web = WebOrigin(origin), web.isSecure(allowingLocalhost: allowsLocalhost), Domain.isDomain(web.host)
    else {
      return .refused
    }
    guard let requested else { return .allowed(web.host) }
    let id = Domain.lowercased(requested)
    guard Domain.isDomain(id) else { return .refused }
    return isSuffix(id, of: web.host) ? .allowed(id) : .unrelated(id)
  }

  /// Whether `suffix` is a registrable domain suffix of, or equal to, `host`.
  func isSuffix(_ suffix: String, of host: String) -> Bool {
    if suffix == host { return true }
    guard host.hasSuffix("." + suffix), let suffixes else { return false }
    // Neither a public suffix itself nor wider than the host's own.
    return suffixes.publicSuffix(of: suffix) != suffix
      && !("." + suffixes.publicSuffix(of: host)).hasSuffix("." + suffix)
  }
}
