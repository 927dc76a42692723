import AuthenticatorCoding
import AuthenticatorCore
import Synchronization

/// A transport without network: answers what a test wrote down, in order, and keeps every request.
///
/// A request past the last answer fails as one that never left.
public final class ScriptedTransport: HTTPTransport {
  /// Answers one request, or throws what a transport would.
  public typealias Answer = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private struct Script {
    var answers: [Answer]
    var requests: [HTTPRequest] = []
  }
  private let script: Mutex<Script>

  /// Starts with these answers.
  public init(_ answers: [Answer] = []) { script = Mutex(Script(answers: answers)) }

  /// The requests so far, in order.
  public var requests: [HTTPRequest] { script.withLock { $0.requests } }

  /// How many answers are left.
  public var remaining: Int { script.withLock { $0.answers.count } }

  /// Adds an answer.
  public func add(_ answer: @escaping Answer) { script.withLock { $0.answers.append(answer) } }

  /// Adds an answer with a JSON body.
  public func add(_ status: Int = 200, json: JSONValue, fields: [HTTPField] = []) {
    add { _ in HTTPResponse(status: status, fields: fields, body: json.serialized()) }
  }

  /// Adds an answer with any body.
  public func add(_ status: Int = 200, text: String, fields: [HTTPField] = []) {
    add { _ in HTTPResponse(status: status, fields: fields, body: Array(text.utf8)) }
  }

  /// Adds a failure of the network.
  /// - Parameter mayHaveArrived: whether the server may have seen the request.
  public func addFailure(_ code: AuthenticatorError.Code = .transportFailed, mayHaveArrived: Bool) {
    add { _ in
      throw AuthenticatorError(
        code, stage: "http", underlying: TransportFailure(mayHaveArrived: mayHaveArrived, detail: "scripted"))
    }
  }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let answer = script.withLock { script in
      script.requests.append(request)
      return script.answers.isEmpty ? nil : script.answers.removeFirst()
    }
    guard let answer else {
      throw AuthenticatorError(
        .transportFailed, stage: "http", reason: "nothing is scripted",
        underlying: TransportFailure(mayHaveArrived: false, detail: "nothing is scripted"))
    }
    return try await answer(request)
  }
}

extension HTTPRequest {
  /// The query as names and values, still percent-encoded; for tests.
  public var queryItems: [String: String] {
    let pairs = (url.query ?? "").split(separator: "&").map { item -> (String, String) in
      let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(halves[0]), halves.count == 2 ? String(halves[1]) : "")
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The first value of a field; nil: there is none.
  public func value(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The body as JSON; nil when it is none.
  public var json: JSONValue? { body.flatMap { try? JSONValue.parse($0) } }
}
