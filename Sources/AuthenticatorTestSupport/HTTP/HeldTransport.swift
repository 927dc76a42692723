import AuthenticatorCore
import Synchronization

/// A network on which something else happens while an answer is under way: the server has acted, and the client does
/// not know it yet.
///
/// Every request goes to another transport; its answer waits for what a test runs meanwhile.
public final class HeldTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let hooks = Mutex<[String: @Sendable () async throws -> Void]>([:])

  /// Passes on what another transport answers; nothing is held yet.
  public init(_ base: any HTTPTransport) { self.base = base }

  /// Runs something once, before the next answer to a path with this end arrives; in place of what was to run for it.
  /// What it throws is thrown in the answer's place.
  public func whileAnswering(_ end: String, _ hook: @escaping @Sendable () async throws -> Void) {
    hooks.withLock { $0[end] = hook }
  }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let response = try await base.send(request)
    let hook = hooks.withLock { hooks in
      hooks.keys.first { request.url.path.hasSuffix($0) }.flatMap { hooks.removeValue(forKey: $0) }
    }
    try await hook?()
    return response
  }
}
