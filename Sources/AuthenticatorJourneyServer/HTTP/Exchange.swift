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
    var fields: [HTTPField] = []
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
    _ connection: Connection, method: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?,
    size: UnsafeMutablePointer<Int>
  ) -> MHD_Result {
    switch state.withLock({ $0.phase }) {
    case .started: return begin(connection)
    case .receiving where size.pointee > 0: return receive(data, size)
    case .receiving: return process(connection, method: method)
    case .answered(let response): return queue(response, on: connection)
    // A resumed connection always has its answer.
    case .processing, .queued: return .NO
    }
  }

  // MARK: Receiving

  private func begin(_ connection: Connection) -> MHD_Result {
    let fields = Self.fields(of: connection)
    state.withLock { state in
      state.fields = fields
      state.phase = .receiving
    }
    guard let failure = Self.check(fields, limit: front.limits.bodyBytes) else { return .YES }
    // Answered before the body: the library then closes the connection, so nothing of it is taken for a request.
    var response = ServerResponse(failure)
    response.fields.append(HTTPField("Connection", "close"))
    return queue(response, on: connection)
  }

  private static func fields(of connection: Connection) -> [HTTPField] {
    var fields: [HTTPField] = []
    withUnsafeMutablePointer(to: &fields) { pointer in
      _ = MHD_get_connection_values(
        connection.pointer, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name else { return .NO }
          let list = context.assumingMemoryBound(to: [HTTPField].self)
          list.pointee.append(HTTPField(String(cString: name), value.map { String(cString: $0) } ?? ""))
          return .YES
        }, pointer)
    }
    return fields
  }

  /// What two servers in a row might read differently is refused (RFC 9112 section 6.3).
  private static func check(_ fields: [HTTPField], limit: Int) -> RESTFailure? {
    let lengths = fields.filter { ServerRequest.namesMatch($0.name, "Content-Length") }
    let encodings = fields.filter { ServerRequest.namesMatch($0.name, "Transfer-Encoding") }
    guard lengths.count + encodings.count <= 1 else { return .badRequest("Ambiguous message length") }
    if let encoding = encodings.first, encoding.value.lowercased() != "chunked" {
      return .badRequest("Unknown transfer coding")
    }
    guard let text = lengths.first?.value else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return .badRequest("Malformed Content-Length")
    }
    guard let length = Int(text), length <= limit else {
      return RESTFailure(status: 413, message: "The request is too large")
    }
    return nil
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

  private func process(_ connection: Connection, method: UnsafePointer<CChar>?) -> MHD_Result {
    let peer = front.watch.received(connection.descriptor)
    let request = state.withLock { state -> ServerRequest? in
      guard state.dropped == 0 else { return nil }
      let target = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      defer { state.body = [] }
      return ServerRequest(
        method: method.map { String(cString: $0) } ?? "", path: target.first.map(String.init) ?? "",
        query: target.count > 1 ? String(target[1]) : nil, fields: state.fields, body: state.body, peer: peer)
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
