import AuthenticatorCoding
import AuthenticatorCore

/// What a `CurlTransport` trusts and allows.
///
/// Fixed for all: TLS 1.2 or newer, host names and chains are checked, redirects are not followed, nothing is
/// decompressed, no cookie, credential or `.netrc` is used. Plain http goes to this machine only, or to hosts named
/// here, and never through a proxy; https honors the proxy variables of the environment (`https_proxy`, `all_proxy`,
/// `no_proxy`) unless `usesEnvironmentProxy` is false.
public struct CurlConfiguration: Sendable {
  /// A PEM file of certificates to trust instead of the system's.
  public var certificateFile: String?
  /// SHA-256 digests (32 bytes) of the public keys (SubjectPublicKeyInfo) a server may have; empty: any key that a
  /// trusted certificate vouches for. With pins, plain http is refused altogether.
  public var pinnedKeys: [[UInt8]]
  /// Hosts other than this machine to which plain http may go, in lower case.
  public var plainHTTPHosts: Set<String>
  /// Whether https goes through the proxy that the environment names.
  public var usesEnvironmentProxy: Bool
  /// For name look-up, connection and TLS handshake.
  public var connectTimeout: Duration
  /// Connections open at once; further requests wait, at the cost of their own time limit.
  public var maximumConnections: Int
  /// The most header fields an answer may have.
  public var maximumHeaderFields: Int
  /// The most bytes of all header lines of an answer, interim answers and trailers included.
  public var maximumHeaderBytes: Int

  /// Makes a configuration: the system's certificates, no pins, 10 seconds to connect, 16 connections, 100 header
  /// fields, 64 KiB of header.
  public init(
    certificateFile: String? = nil, pinnedKeys: [[UInt8]] = [], plainHTTPHosts: Set<String> = [],
    usesEnvironmentProxy: Bool = true, connectTimeout: Duration = .seconds(10), maximumConnections: Int = 16,
    maximumHeaderFields: Int = 100, maximumHeaderBytes: Int = 1 << 16
  ) {
    self.certificateFile = certificateFile
    self.pinnedKeys = pinnedKeys
    self.plainHTTPHosts = plainHTTPHosts
    self.usesEnvironmentProxy = usesEnvironmentProxy
    self.connectTimeout = connectTimeout
    self.maximumConnections = maximumConnections
    self.maximumHeaderFields = maximumHeaderFields
    self.maximumHeaderBytes = maximumHeaderBytes
  }

  /// The pins in libcurl's form; nil: none.
  var pinText: String? {
    pinnedKeys.isEmpty ? nil : pinnedKeys.map { "sha256//" + Base64.encode($0) }.joined(separator: ";")
  }

  /// - Throws: `invalidRequest`, naming the setting.
  func check() throws {
    guard pinnedKeys.allSatisfy({ $0.count == 32 }) else { throw Self.invalid("a pinned key is no SHA-256 digest") }
    guard connectTimeout > .zero else { throw Self.invalid("the time limit for connecting is not positive") }
    guard (1...1000).contains(maximumConnections) else { throw Self.invalid("the number of connections") }
    guard maximumHeaderFields > 0, maximumHeaderBytes > 0 else { throw Self.invalid("the header limits") }
    if let certificateFile, !CurlFile.isReadable(certificateFile) {
      throw Self.invalid("the certificate file \(certificateFile) cannot be read")
    }
    if let certificateFile, !CurlFile.mayHoldCertificates(certificateFile) {
      throw Self.invalid("the certificate file \(certificateFile) holds no certificate in PEM")
    }
  }

  private static func invalid(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "http.configuration", reason: "not usable: \(what)")
  }
}
