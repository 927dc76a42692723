import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorHTTP
import AuthenticatorJourney

/// Whether the server answers, and as a journey server does.
struct ServerCheck: Sendable {
  let configuration: JourneyConfiguration
  let certificateFile: String?

  func run() async -> Finding {
    let path = "json/realms/\(Self.path(of: configuration.realm))/serverinfo/*"
    let request = HTTPRequest(
      method: "GET", url: configuration.server.appending(path: path),
      fields: [HTTPField("Accept-API-Version", "resource=1.1, protocol=1.0"), HTTPField("Accept", "application/json")],
      timeout: min(configuration.requestTimeout, .seconds(10)), maximumBodyBytes: 65_536)
    let server = configuration.instance
    do {
      let transport = try CurlTransport(CurlConfiguration(certificateFile: certificateFile))
      let response = try await transport.send(request)
      switch response.status {
      case 200 where Self.isObject(response.body): return .ok("server", "\(server) answers")
      case 401, 403: return .ok("server", "\(server) answers, and keeps its information to itself")
      case 400...499:
        return .fault(
          "server", "\(server) answers \(response.status): no journey server at this path, or no such realm",
          fix: "check the context path of --server and the name of --realm")
      case 500...:
        return .fault("server", "\(server) answers \(response.status)", fix: "look into the server's log")
      default:
        return .fault(
          "server", "\(server) answers \(response.status), but not as a journey server does",
          fix: "check --server: scheme, port and context path")
      }
    } catch {
      let failure = Failure(error)
      return .fault(
        "server", "\(server) cannot be reached: \(failure.message)",
        fix: "check that it runs, the address, the network, and for https that its certificate is trusted (--ca)")
    }
  }

  private static func isObject(_ body: [UInt8]) -> Bool {
    do { return try JSONValue.parse(body).objectValue != nil } catch { return false }
  }

  private static func path(of realm: JourneyRealm) -> String {
    (["root"] + realm.names.map(escaped)).joined(separator: "/realms/")
  }

  /// Percent-encodes all but what RFC 3986 leaves unreserved.
  private static func escaped(_ name: String) -> String {
    name.utf8.map { byte in
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: "%" + Hex.encode([byte]).uppercased()
      }
    }.joined()
  }
}
