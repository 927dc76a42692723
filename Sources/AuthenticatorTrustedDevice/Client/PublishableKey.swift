import AuthenticatorCoding
import AuthenticatorCore

extension TrustedDeviceConfiguration {
  /// The key that tells an app where its Frontend API is: `pk_test_` or `pk_live_`, then the host and a dollar sign in
  /// base64. It is no secret.
  public struct PublishableKey: Hashable, Sendable {
    /// The key as it was given.
    public let text: String
    /// The address it names: `https`, and `http` where the host is this machine, on which development servers listen.
    /// One with TLS on this machine is given as proxy.
    public let server: WebURL
    /// Whether it is of a development instance.
    public let isTest: Bool

    /// Reads a key.
    /// - Throws: `invalidRequest`.
    public init(_ text: String) throws {
      let prefixes = ["pk_test_": true, "pk_live_": false]
      guard text.utf8.count <= 1024, let (prefix, isTest) = prefixes.first(where: { text.hasPrefix($0.key) }) else {
        throw Self.malformed("begins with neither pk_test_ nor pk_live_")
      }
      let decoded: String?
      do {
        decoded = String(
          validating: try Base64.decode(String(text.dropFirst(prefix.count)), padding: .tolerated), as: UTF8.self)
      } catch {
        throw Self.malformed("is no base64")
      }
      guard let decoded, decoded.hasSuffix("$") else { throw Self.malformed("does not end in a dollar sign") }
      let server: WebURL
      do {
        let host = decoded.dropLast()
        server = try WebURL("https://" + host).isLoopback ? WebURL("http://" + host) : WebURL("https://" + host)
      } catch { throw Self.malformed("names no host") }
      guard server.path == "/", server.query == nil else { throw Self.malformed("names more than a host") }
      self.text = text
      self.server = server
      self.isTest = isTest
    }

    private static func malformed(_ what: String) -> AuthenticatorError {
      AuthenticatorError(
        .invalidRequest, stage: "trustedDevice.configuration", reason: "the publishable key \(what)")
    }
  }
}
