import AuthenticatorCore
internal import CCurl
internal import CCurlShims
internal import Glibc
internal import Synchronization

/// Runs all transfers of one transport on one thread of its own, over one pool of kept connections.
///
/// Unchecked: the multi handle is used by the loop's thread only, except for `curl_multi_wakeup`, which may be called
/// from any thread, and is, under the inbox's lock and only while the handle lives. The remaining members are the
/// thread's own.
final class CurlLoop: @unchecked Sendable {
  private let configuration: CurlConfiguration
  private let multi: UnsafeMutableRawPointer
  private let inbox = Mutex(Inbox())
  private var active: [UnsafeMutableRawPointer: CurlExchange] = [:]
  private var idle: [UnsafeMutableRawPointer] = []

  private struct Inbox {
    var arriving: [CurlExchange] = []
    var hasCancellations = false
    var isStopping = false
    var isClosed = false
  }

  /// libcurl's own state, made once in a process.
  private static let isLibraryReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// - Throws: `transportFailed` when libcurl or the thread cannot start.
  init(_ configuration: CurlConfiguration) throws {
    guard Self.isLibraryReady, let multi = curl_multi_init() else {
      throw CurlFailure.unavailable("libcurl cannot start")
    }
    self.configuration = configuration
    self.multi = multi
    authkit_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.maximumConnections)
    authkit_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.maximumConnections)
    var thread = pthread_t()
    let own = Unmanaged.passRetained(self)
    let started = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<CurlLoop>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, own.toOpaque())
    guard started == 0 else {
      own.release()
      curl_multi_cleanup(multi)
      throw CurlFailure.unavailable("no thread can be started")
    }
    pthread_detach(thread)
  }

  // MARK: From any thread

  func submit(_ exchange: CurlExchange) {
    let isTaken = inbox.withLock { inbox in
      guard !inbox.isClosed else { return false }
      inbox.arriving.append(exchange)
      curl_multi_wakeup(multi)
      return true
    }
    if !isTaken { exchange.finish(.failure(CurlFailure.unavailable("the transport is closed"))) }
  }

  func cancel(_ exchange: CurlExchange) {
    exchange.isCancelled.store(true, ordering: .releasing)
    inbox.withLock { inbox in
      guard !inbox.isClosed else { return }
      inbox.hasCancellations = true
      curl_multi_wakeup(multi)
    }
  }

  func stop() {
    inbox.withLock { inbox in
      guard !inbox.isClosed else { return }
      inbox.isStopping = true
      curl_multi_wakeup(multi)
    }
  }

  // MARK: On the loop's thread

  private func run() {
    while takeInbox() {
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      collect()
      // With nothing under way only a wakeup matters; libcurl shortens the wait for its own timers.
      curl_multi_poll(multi, nil, 0, active.isEmpty ? 60_000 : 1000, nil)
    }
    close()
  }

  /// Starts what arrived and ends what was cancelled; false: the transport is gone.
  private func takeInbox() -> Bool {
    let (arriving, hasCancellations, isStopping) = inbox.withLock { inbox in
      defer {
        inbox.arriving = []
        inbox.hasCancellations = false
      }
      return (inbox.arriving, inbox.hasCancellations, inbox.isStopping)
    }
    for exchange in arriving { begin(exchange) }
    if hasCancellations {
      for (handle, exchange) in active where exchange.isCancelled.load(ordering: .acquiring) {
        var requestBytes = 0
        authkit_curl_get_long(handle, CURLINFO_REQUEST_SIZE, &requestBytes)
        release(handle)
        exchange.finish(.failure(CurlFailure.cancelled(mayHaveArrived: requestBytes > 0)))
      }
    }
    return !isStopping
  }

  private func begin(_ exchange: CurlExchange) {
    guard !exchange.isCancelled.load(ordering: .acquiring) else {
      exchange.finish(.failure(CurlFailure.cancelled(mayHaveArrived: false)))
      return
    }
    guard let handle = idle.popLast() ?? curl_easy_init() else {
      exchange.finish(.failure(CurlFailure.unavailable("libcurl has no handle left")))
      return
    }
    active[handle] = exchange
    guard exchange.prepare(handle, configuration: configuration), curl_multi_add_handle(multi, handle) == CURLM_OK
    else {
      release(handle)
      exchange.finish(.failure(CurlFailure.unavailable("libcurl refused an option")))
      return
    }
  }

  private func collect() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
      let code = message.pointee.data.result
      guard let exchange = active[handle] else { continue }
      exchange.finish(handle, code)
      release(handle)
    }
  }

  /// Takes a handle out of the transfer and keeps it for the next one; its connection stays with the multi handle.
  private func release(_ handle: UnsafeMutableRawPointer) {
    curl_multi_remove_handle(multi, handle)
    active[handle] = nil
    if idle.count < configuration.maximumConnections {
      curl_easy_reset(handle)
      idle.append(handle)
    } else {
      curl_easy_cleanup(handle)
    }
  }

  private func close() {
    let arriving = inbox.withLock { inbox in
      inbox.isClosed = true
      defer { inbox.arriving = [] }
      return inbox.arriving
    }
    for exchange in arriving { exchange.finish(.failure(CurlFailure.unavailable("the transport is closed"))) }
    for (handle, exchange) in active {
      release(handle)
      exchange.finish(.failure(CurlFailure.unavailable("the transport is closed")))
    }
    for handle in idle { curl_easy_cleanup(handle) }
    curl_multi_cleanup(multi)
  }
}
