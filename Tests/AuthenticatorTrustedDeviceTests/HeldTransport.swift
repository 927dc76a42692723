import AuthenticatorCore
import Synchronization

/// A network on which something else happens while an answer is under way: the server has acted, and the client does not
/// know it yet.
final class HeldTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let hooks = Mutex<[String: @Sendable () async throws -> Void]>([:])

  init(_ base: any HTTPTransport) { self.base = base }

  /// Runs once, before the next answer to a path with this end arrives.
  func whileAnswering(_ end: String, _ hook: @escaping @Sendable () async throws -> Void) {
    hooks.withLock { $0[end] = hook }
  }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let response = try await base.send(request)
    let hook = hooks.withLock { hooks in
      hooks.keys.first { request.url.path.hasSuffix($0) }.flatMap { hooks.removeValue(forKey: $0) }
    }
    try await hook?()
    return response
  }
}

/// Something that happens once, and one who waits for it.
struct Moment: Sendable {
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func comes() { continuation.finish() }
  func wait() async { for await _ in stream {} }
}
