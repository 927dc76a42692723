import AuthenticatorCore
import AuthenticatorJourney

extension FuzzTarget {
  /// The journey client facing any answer: nodes, callbacks, failures and cookies, and the reply it makes of them.
  static let journey = FuzzTarget(name: "journey", maximumLength: 8192) { bytes in
    let environment = AuthenticatorEnvironment(
      appIdentifier: "com.example.app", deviceName: "Fuzz", sleep: { _ in })
    let configuration = try JourneyConfiguration(server: "http://127.0.0.1:8080/am")
    let client = Journey(configuration, transport: SameAnswer(bytes), environment: environment)
    try await onlyAuthenticatorErrors {
      guard case .continue(let node) = try await client.start("Login") else { return }
      for callback in node.callbacks where callback.payload.hasInput() { callback.answer("x") }
      _ = try await node.next()
    }
  }
}

/// Answers every request alike. The first byte chooses the status, the rest is the body.
private struct SameAnswer: HTTPTransport {
  private let response: HTTPResponse

  init(_ bytes: [UInt8]) {
    let statuses = [200, 200, 200, 401, 400, 403, 500, 302]
    response = HTTPResponse(
      status: statuses[Int(bytes.first ?? 0) % statuses.count],
      fields: [
        HTTPField("Content-Type", "application/json"),
        HTTPField("Set-Cookie", String(decoding: bytes.prefix(64).filter { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)),
      ], body: Array(bytes.dropFirst()))
  }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { response }
}
