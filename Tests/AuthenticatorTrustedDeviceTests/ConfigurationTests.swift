import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

@Suite struct ConfigurationTests {
  static func key(_ host: String, prefix: String = "pk_test_") -> String { prefix + Base64.encode(Array(host.utf8)) }

  @Test func takesTheAddressFromThePublishableKey() throws {
    let key = try TrustedDeviceConfiguration.PublishableKey(Self.key("clever-cat-12.clerk.example.com$"))
    #expect(key.server.description == "https://clever-cat-12.clerk.example.com/")
    #expect(key.isTest)
    #expect(try !TrustedDeviceConfiguration.PublishableKey(Self.key("clerk.example.com$", prefix: "pk_live_")).isTest)
    let configuration = try TrustedDeviceConfiguration(publishableKey: Self.key("clerk.example.com$"))
    #expect(configuration.instance == "https://clerk.example.com")
    #expect(try TrustedDeviceConfiguration(publishableKey: Self.key("127.0.0.1:8443$")).server.port == 8443)
  }

  @Test func toleratesMissingPadding() throws {
    let padded = Self.key("ab.example.com$")
    let text = String(padded.reversed().drop { $0 == "=" }.reversed())
    #expect(try TrustedDeviceConfiguration.PublishableKey(text).server.host == "ab.example.com")
  }

  @Test(arguments: [
    "", "pk_test_", "pk_test", "sk_test_" + Base64.encode(Array("clerk.example.com$".utf8)), "pk_test_!!!!",
    key("clerk.example.com"), key("$"), key("user@clerk.example.com$"), key("clerk.example.com/path$"),
    key("clerk.example.com?q=1$"), key("clerk.example.com#f$"), key("cl\u{E9}rk.example.com$"), key("a b$"),
  ])
  func refusesAKeyThatNamesNoHost(_ text: String) {
    #expect(throws: AuthenticatorError(.invalidRequest)) { try TrustedDeviceConfiguration.PublishableKey(text) }
  }

  @Test func letsAProxyTakeTheAddressOver() throws {
    let configuration = try TrustedDeviceConfiguration(
      publishableKey: Self.key("clerk.example.com$"), proxyURL: "https://app.example.com/__clerk/")
    #expect(configuration.server.description == "https://app.example.com/__clerk")
    // Whose keys they are, the publishable key tells: two instances behind one proxy share nothing.
    #expect(configuration.instance == "https://clerk.example.com")
    let other = try TrustedDeviceConfiguration(
      publishableKey: Self.key("other.example.com$"), proxyURL: "https://app.example.com/__clerk/")
    #expect(other.server == configuration.server)
    #expect(other.instance == "https://other.example.com")
  }

  /// What the embedded server prints: it speaks plain HTTP to this machine.
  @Test(arguments: ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"])
  func reachesADevelopmentServerByItsKey(_ host: String) throws {
    let configuration = try TrustedDeviceConfiguration(publishableKey: Self.key(host + "$"))
    #expect(configuration.server.scheme == "http")
    #expect(configuration.instance == "http://\(host)")
    let proxied = try TrustedDeviceConfiguration(
      publishableKey: Self.key(host + "$"), proxyURL: "https://\(host)")
    #expect(proxied.server.scheme == "https")
  }

  @Test func admitsPlainHTTPToThisMachineOnly() throws {
    #expect(try TrustedDeviceConfiguration(server: "http://127.0.0.1:8080").instance == "http://127.0.0.1:8080")
    #expect(throws: AuthenticatorError(.invalidRequest)) {
      try TrustedDeviceConfiguration(server: "http://clerk.example.com")
    }
    #expect(throws: AuthenticatorError(.invalidRequest)) {
      try TrustedDeviceConfiguration(server: "https://clerk.example.com/?a=b")
    }
    #expect(
      try TrustedDeviceConfiguration(server: "http://clerk.example.com", allowsPlainHTTP: true).instance
        == "http://clerk.example.com")
  }

  @Test func followsTheDocumentByDefault() throws {
    let configuration = try TrustedDeviceConfiguration(server: "https://clerk.example.com")
    #expect(configuration.defaultPolicy == .biometryOrDevicePasscode)
    #expect(configuration.replaceScope == .user)
    #expect(configuration.strategy == .trustedDevice)
    #expect(configuration.urlFamily == .trustedDevices)
    #expect(configuration.retryPolicy == FrontendRetryPolicy())
  }
}
