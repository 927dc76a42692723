/// The public suffix list: below which domains anybody may register a name (`com`, `co.uk`, `github.io`).
///
/// `AuthenticatorPublicSuffix` has one on libpsl. Without a list, a relying party ID must equal the caller's host.
public protocol PublicSuffixList: Sendable {
  /// The public suffix of a host: the longest one it ends with; the host itself when it is one.
  ///
  /// - Parameter host: a domain in lower-case ASCII (A-labels).
  func publicSuffix(of host: String) -> String
}

extension PublicSuffixList {
  /// The public suffix with one more label; nil for a host that is a public suffix itself.
  func registrableDomain(of host: String) -> String? {
    let suffix = publicSuffix(of: host)
    guard host != suffix, host.hasSuffix("." + suffix) else { return nil }
    let rest = host.dropLast(suffix.utf8.count + 1)
    let label = rest.split(separator: ".", omittingEmptySubsequences: false).last ?? rest
    return "\(label).\(suffix)"
  }
}
