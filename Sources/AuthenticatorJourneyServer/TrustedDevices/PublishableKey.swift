internal import AuthenticatorCoding

/// The publishable key of a Frontend API: what an app is configured with, and no secret.
public enum PublishableKey {
  /// `pk_test_` and the base64 form of `host$`; the host carries a port that is not the scheme's own.
  public static func test(host: String) -> String { "pk_test_" + Base64.encode(Array("\(host)$".utf8)) }

  /// The key for an address such as `http://127.0.0.1:8080/am`; nil when there is no host in it.
  public static func test(url: String) -> String? {
    let parts = url.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 2, parts[0].hasSuffix(":"), parts[1].isEmpty, !parts[2].isEmpty else { return nil }
    return test(host: String(parts[2]))
  }
}
