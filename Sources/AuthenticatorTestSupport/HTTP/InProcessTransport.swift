import AuthenticatorCore
import AuthenticatorJourneyServer
import Synchronization

/// A transport whose other end is a `JourneyServer` of this process. Messages can be lost on order.
public final class InProcessTransport: HTTPTransport {
  /// What happens to one exchange.
  public enum Loss: Hashable, Sendable {
    /// The request never arrives, and the client knows.
    case beforeSending
    /// The request is lost on the way.
    case request
    /// The server acts, and its answer is lost.
    case answer
  }

  private struct State {
    var count = 0
    var losses: [Int: Loss] = [:]
    var requests: [HTTPRequest] = []
  }
  private let server: JourneyServer
  private let state = Mutex(State())

  /// Connects to a server; nothing is lost yet.
  public init(_ server: JourneyServer) { self.server = server }

  /// The requests so far, lost ones included.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// Loses a message of one exchange, counted from 0 among those to come.
  public func lose(_ loss: Loss, at place: Int = 0) {
    state.withLock { $0.losses[$0.count + place] = loss }
  }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let loss = state.withLock { state in
      defer { state.count += 1 }
      state.requests.append(request)
      return state.losses[state.count]
    }
    if loss == .beforeSending || loss == .request { throw Self.lost(mayHaveArrived: loss == .request) }
    let response = await server.handle(request)
    if loss == .answer { throw Self.lost(mayHaveArrived: true) }
    return response
  }

  private static func lost(mayHaveArrived: Bool) -> AuthenticatorError {
    AuthenticatorError(
      .transportFailed, stage: "http",
      underlying: TransportFailure(mayHaveArrived: mayHaveArrived, detail: "lost on order"))
  }
}
