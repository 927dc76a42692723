import AuthenticatorCore
import Synchronization

/// Passes requests on, remembers the last status, and traces what a log may say of an exchange: method, path and
/// status, since queries and bodies hold tokens; and the path without the name of a user.
final class ObservedTransport: HTTPTransport {
  private let inner: any HTTPTransport
  private let console: Console
  private let status = Mutex<Int?>(nil)

  init(_ inner: any HTTPTransport, console: Console) {
    self.inner = inner
    self.console = console
  }

  /// The HTTP status of the last answer; nil when there was none.
  var lastStatus: Int? { status.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    console.trace("\(request.method) \(request.url.origin)\(Self.nameless(request.url.path))")
    do {
      let response = try await inner.send(request)
      status.withLock { $0 = response.status }
      console.trace("status \(response.status), \(response.body.count) bytes")
      return response
    } catch {
      var error = AuthenticatorError.wrapping(error, as: .transportFailed, stage: "transport")
      console.trace("no answer: \(error.code)")
      // Who reads of a failure wants to know which server it was.
      if Self.speaksOfTheServer.contains(error.code) {
        let words = error.reason.isEmpty ? CodeText.sentence(for: error.code) : error.reason
        error.reason = "\(request.url.origin)\(Self.nameless(request.url.path)): \(words)"
      }
      throw error
    }
  }

  private static let speaksOfTheServer: [AuthenticatorError.Code] = [.transportFailed, .timedOut, .invalidMessage]

  private static func nameless(_ path: String) -> String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)
    for index in parts.indices.dropFirst() where parts[index - 1] == "users" { parts[index] = "…" }
    return parts.joined(separator: "/")
  }
}
