internal import AuthenticatorCore
internal import CMicroHTTPD
internal import CMicroHTTPDShims
internal import Synchronization

/// One request on its way through libmicrohttpd. Retained by the library from its request line to its completion.
final class Exchange: Sendable {
  /// A connection of the library, valid while its exchange is suspended or one of its callbacks runs.
  struct Connection: @unchecked Sendable {
    // Unchecked because of the pointer: it is handed to library functions only, which lock for themselves.
    let pointer: OpaquePointer

    var descriptor: Int32 { authkit_mhd_connection_socket(pointer) }
  }

  private enum Phase {
    /// Only the request line was seen.
    case started
    case receiving
    /// The connection is suspended and the server is at work.
    case processing
    /// The answer is there and must be queued.
    case answered(ServerResponse)
    case queued
  }

  private struct State {
    var phase = Phase.started
    var head: RequestHead?
    var body: [UInt8] = []
    /// Bytes that were dropped because the body was full.
    var dropped = 0
    var wasProcessed = false
  }

  /// What follows the method on the request line.
  private let target: String
  private let front: FrontCore
  private let state = Mutex(State())

  init(target: String, front: FrontCore) {
    self.target = target
    self.front = front
  }

  /// Whether the server was asked, so that the front counts this exchange.
  var wasProcessed: Bool { state.withLock { $0.wasProcessed } }

  /// One call of the library's handler.
  func advance(
    _ connection: Connection, method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?,
    data: UnsafePointer<CChar>?, size: UnsafeMutablePointer<Int>
  ) -> MHD_Result {
    switch state.withLock({ $0.phase }) {
    case .started:
      return begin(connection, RequestHead(of: connection, method: method, target: target, version: version))
    case .receiving where size.pointee > 0: return receive(data, size)
    case .receiving: return process(connection)
    case .answered(let response): return queue(response, on: connection)
    // A resumed connection always has its answer.
    case .processing, .queued: return .NO
    }
  }

  // MARK: Receiving

  private func begin(_ connection: Connection, _ head: RequestHead) -> MHD_Result {
    state.withLock { state in
      state.head = head
      state.phase = .receiving
    }
    guard let failure = head.failure(limit: front.limits.bodyBytes) else { return .YES }
    // Answered before the body, which nobody reads: closed, so that nothing of it is taken for a request.
    var response = ServerResponse(failure)
    response.fields.append(HTTPField("Connection", "close"))
    return queue(response, on: connection)
  }

  private func receive(_ data: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>) -> MHD_Result {
    let limit = front.limits.bodyBytes
    let chunk = UnsafeRawBufferPointer(start: data, count: size.pointee)
    let isBearable = state.withLock { state in
      if state.dropped == 0, state.body.count + chunk.count <= limit {
        state.body.append(contentsOf: chunk)
      } else {
        state.dropped += chunk.count
      }
      // A little more than allowed gets an answer, an endless body gets the connection closed.
      return state.dropped <= limit
    }
    size.pointee = 0
    return isBearable ? .YES : .NO
  }

  // MARK: Answering

  private func process(_ connection: Connection) -> MHD_Result {
    let peer = front.watch.received(connection.descriptor)
    let request = state.withLock { state -> ServerRequest? in
      guard state.dropped == 0, let head = state.head else { return nil }
      defer { state.body = [] }
      let (path, query) = head.address
      return ServerRequest(
        method: head.method, path: path, query: query, fields: head.fields, body: state.body, peer: peer)
    }
    guard let request else {
      return queue(ServerResponse(RESTFailure(status: 413, message: "The request is too large")), on: connection)
    }
    guard front.admit(self, connection) else { return queue(ServerResponse(.overloaded), on: connection) }
    state.withLock { state in
      state.phase = .processing
      state.wasProcessed = true
    }
    MHD_suspend_connection(connection.pointer)
    let server = front.server
    Task {
      let response = await server.handle(request)
      self.finish(response, connection)
    }
    return .YES
  }

  /// Hands over the answer, once; later ones are dropped.
  func finish(_ response: ServerResponse, _ connection: Connection) {
    let isFirst = state.withLock { state -> Bool in
      guard case .processing = state.phase else { return false }
      state.phase = .answered(response)
      return true
    }
    if isFirst { MHD_resume_connection(connection.pointer) }
  }

  private func queue(_ answer: ServerResponse, on connection: Connection) -> MHD_Result {
    state.withLock { $0.phase = .queued }
    let response = answer.body.withUnsafeBytes { body in
      // The library takes a mutable pointer and, told to copy, does not write to it.
      MHD_create_response_from_buffer(
        body.count, UnsafeMutableRawPointer(mutating: body.baseAddress ?? UnsafeRawPointer(bitPattern: 1)),
        .RESPMEM_MUST_COPY)
    }
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    for field in answer.fields { MHD_add_response_header(response, field.name, field.value) }
    return MHD_queue_response(connection.pointer, UInt32(clamping: answer.status), response)
  }
}
