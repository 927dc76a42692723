/// What the trust in facets needs to know about domain names.
public struct FacetDomainRules: Sendable {
  /// The public suffix with one more label, for a host in lower-case ASCII; nil for a host that is a public suffix.
  public var leastSpecificPrivateLabel: @Sendable (_ host: String) -> String?

  /// Takes a way to find it out; a list of public suffixes, as a rule.
  public init(leastSpecificPrivateLabel: @escaping @Sendable (_ host: String) -> String?) {
    self.leastSpecificPrivateLabel = leastSpecificPrivateLabel
  }

  /// Without a list of public suffixes, only a host itself is known to belong together.
  public static let sameHost = FacetDomainRules { $0 }
}
