import AuthenticatorCore
import AuthenticatorHTTP
import Testing

@Suite struct CurlTransportTLSTests {
  private func send(
    _ server: TLSServer, host: String = "localhost", _ configuration: CurlConfiguration
  ) async throws -> HTTPResponse {
    let url = try WebURL("https://\(host):\(server.port)/")
    return try await CurlTransport(configuration).send(HTTPRequest(method: "GET", url: url))
  }

  @Test func trustsOwnCertificatesOnly() async throws {
    let server = try TLSServer()
    let own = CurlConfiguration(certificateFile: server.certificateFile, usesEnvironmentProxy: false)
    #expect(try await send(server, own).status == 200)

    let system = await failure { try await send(server, CurlConfiguration(usesEnvironmentProxy: false)) }
    #expect(system?.code == .transportFailed)
    #expect(system?.isSafeToRetry == true)

    let misnamed = await failure { try await send(server, host: "127.0.0.1", own) }
    #expect(misnamed?.code == .transportFailed)
  }

  @Test func holdsItsPins() async throws {
    let server = try TLSServer()
    var configuration = CurlConfiguration(certificateFile: server.certificateFile, usesEnvironmentProxy: false)
    configuration.pinnedKeys = [[UInt8](repeating: 7, count: 32), server.pin]
    #expect(try await send(server, configuration).status == 200)

    configuration.pinnedKeys = [[UInt8](repeating: 7, count: 32)]
    let error = await failure { try await send(server, configuration) }
    #expect(error?.code == .transportFailed)
    #expect(error?.isSafeToRetry == true)
  }

  @Test func pinsDoNotReplaceTrust() async throws {
    let server = try TLSServer()
    let configuration = CurlConfiguration(pinnedKeys: [server.pin], usesEnvironmentProxy: false)
    let error = await failure { try await send(server, configuration) }
    #expect(error?.code == .transportFailed)
  }
}
