internal import AuthenticatorCore
internal import CMicroHTTPD
internal import CMicroHTTPDShims
internal import Dispatch
internal import Synchronization

/// Puts a journey server on the network: HTTP/1.1 by libmicrohttpd, one thread waiting on epoll, requests answered on
/// Swift's own threads while their connections are suspended.
///
/// ```swift
/// let front = try HTTPFront(server, port: 0)
/// print(front.url)
/// await front.stop()
/// ```
///
/// It speaks plain HTTP and listens on this machine alone unless told otherwise: in front of anything else belongs a
/// proxy with TLS.
public final class HTTPFront: Sendable {
  /// The port that is listened on.
  public let port: UInt16
  /// `http://127.0.0.1:8080`, without the server's context path.
  public let origin: String
  /// `origin` with the server's context path: what a client is given as its server.
  public let url: String

  private let core: FrontCore
  private let daemon: Daemon
  private let keeper: Task<Void, Never>

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - host: a numeric address of this machine.
  ///   - port: 0 takes a free one.
  ///   - threads: above 1, the connections are divided among so many threads.
  ///
  /// Throws `AuthenticatorError`: `invalidRequest` for a host that is no address, `transportFailed` when the address
  /// cannot be had.
  public init(_ server: JourneyServer, host: String = "127.0.0.1", port: UInt16 = 0, threads: Int = 1) throws {
    let limits = server.configuration.limits
    let socket = try ListeningSocket(host: host, port: port)
    let watch = ConnectionWatch(
      limit: limits.connections, timeout: limits.receiveTimeout, uptime: server.configuration.environment.uptime)
    let core = FrontCore(server: server, watch: watch)
    self.core = core
    daemon = try Daemon(core: core, socket: socket.descriptor, threads: threads)
    self.port = socket.port
    origin = "http://\(host.contains(":") ? "[\(host)]" : host):\(socket.port)"
    url = origin + server.configuration.contextPath
    server.setAddress(origin)
    keeper = Task {
      while !Task.isCancelled {
        // The only error is cancellation, which ends the loop.
        try? await Task.sleep(for: .seconds(1))
        watch.endOverdue()
      }
    }
  }

  /// How many connections are open.
  public var connectionCount: Int { core.watch.count }

  /// Stops to accept, lets requests under way be answered for as long as `grace`, answers the rest with 503, and ends.
  ///
  /// A second call does nothing.
  public func stop(grace: Duration = .seconds(3)) async {
    keeper.cancel()
    core.close()
    daemon.quiesce()
    let deadline = ContinuousClock.now + grace
    while core.busyCount > 0, ContinuousClock.now < deadline {
      // Waiting on is the right answer to being cancelled too: nothing may be left suspended.
      try? await Task.sleep(for: .milliseconds(10))
    }
    core.abandonAll()
    await daemon.stop()
  }
}

/// What the exchanges of a front share.
final class FrontCore: Sendable {
  private struct State {
    var isClosed = false
    var busy: [ObjectIdentifier: (exchange: Exchange, connection: Exchange.Connection)] = [:]
  }

  let server: JourneyServer
  let watch: ConnectionWatch
  var limits: JourneyServerLimits { server.configuration.limits }
  private let state = Mutex(State())

  init(server: JourneyServer, watch: ConnectionWatch) {
    self.server = server
    self.watch = watch
  }

  var busyCount: Int { state.withLock { $0.busy.count } }

  /// Counts an exchange as under way; false when the front is closing.
  func admit(_ exchange: Exchange, _ connection: Exchange.Connection) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.busy[ObjectIdentifier(exchange)] = (exchange, connection)
      return true
    }
  }

  func completed(_ exchange: Exchange) {
    guard exchange.wasProcessed else { return }
    state.withLock { _ = $0.busy.removeValue(forKey: ObjectIdentifier(exchange)) }
  }

  func close() { state.withLock { $0.isClosed = true } }

  /// Gives every exchange that is still waiting an answer: a suspended connection must be resumed before the end.
  func abandonAll() {
    let busy = state.withLock { Array($0.busy.values) }
    for (exchange, connection) in busy { exchange.finish(ServerResponse(.overloaded), connection) }
  }
}

/// The library's daemon, and its callbacks.
private final class Daemon: Sendable {
  private struct State: @unchecked Sendable {
    // Unchecked because of the pointer, which is used under the lock and gone when the daemon was stopped.
    var pointer: OpaquePointer?
  }

  private let state: Mutex<State>
  private let core: FrontCore

  init(core: FrontCore, socket: Int32, threads: Int) throws {
    self.core = core
    let limits = core.limits
    var options = authkit_mhd_options()
    options.listen_socket = socket
    // Unretained: the daemon is stopped before this object, which holds the core, goes.
    options.context = Unmanaged.passUnretained(core).toOpaque()
    // The watch makes room at the limit; the library's own only bounds what is being closed meanwhile.
    options.connection_limit = UInt32(clamping: core.watch.limit + 64)
    options.timeout = UInt32(clamping: max(limits.receiveTimeout.components.seconds, 1))
    options.connection_memory = max(limits.headerBytes, 4096)
    options.threads = UInt32(clamping: threads)
    options.target = { context, target, _ in
      guard let context, let target else { return nil }
      let core = Unmanaged<FrontCore>.fromOpaque(context).takeUnretainedValue()
      return Unmanaged.passRetained(Exchange(target: String(cString: target), front: core)).toOpaque()
    }
    options.handler = { _, connection, _, method, version, data, size, request in
      guard let connection, let size, let pointer = request?.pointee else { return .NO }
      let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
      return exchange.advance(
        Exchange.Connection(pointer: connection), method: method, version: version, data: data, size: size)
    }
    options.completed = { context, connection, request, _ in
      guard let context, let connection, let pointer = request?.pointee else { return }
      let core = Unmanaged<FrontCore>.fromOpaque(context).takeUnretainedValue()
      let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
      request?.pointee = nil
      core.completed(exchange)
      core.watch.answered(Exchange.Connection(pointer: connection).descriptor)
    }
    options.connection = { context, connection, _, event in
      guard let context, let connection else { return }
      let core = Unmanaged<FrontCore>.fromOpaque(context).takeUnretainedValue()
      let descriptor = Exchange.Connection(pointer: connection).descriptor
      if event == .CONNECTION_NOTIFY_STARTED { core.watch.opened(descriptor) } else { core.watch.closed(descriptor) }
    }
    guard let pointer = authkit_mhd_start(&options) else {
      throw AuthenticatorError(.transportFailed, stage: "listen", reason: "libmicrohttpd did not start")
    }
    state = Mutex(State(pointer: pointer))
  }

  deinit {
    core.close()
    core.abandonAll()
    state.withLock { state in
      if let pointer = state.pointer { MHD_stop_daemon(pointer) }
      state.pointer = nil
    }
  }

  /// Stops to accept connections.
  func quiesce() {
    state.withLock { state in
      guard let pointer = state.pointer else { return }
      let socket = MHD_quiesce_daemon(pointer)
      if socket >= 0 { close(socket) }
    }
  }

  /// Ends the daemon and waits for its threads, on a thread that may wait.
  func stop() async {
    let taken = state.withLock { state in
      defer { state.pointer = nil }
      return State(pointer: state.pointer)
    }
    guard taken.pointer != nil else { return }
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "journey-server.stop").async {
        if let pointer = taken.pointer { MHD_stop_daemon(pointer) }
        continuation.resume()
      }
    }
  }
}
