import AuthenticatorCore
internal import CCurl
internal import CCurlShims
internal import Synchronization

/// One request on its way, with what libcurl's callbacks read and fill.
///
/// Unchecked: after `CurlLoop.submit` everything but the cancellation flag is touched on the loop's thread only; before
/// it, by the one task that made it.
final class CurlExchange: @unchecked Sendable {
  let request: HTTPRequest
  let isCancelled = Atomic<Bool>(false)
  var continuation: CheckedContinuation<HTTPResponse, any Error>?

  private var header: HeaderLines
  private var body: [UInt8] = []
  private var sent = 0
  private var refusal: String?
  private var fieldList: UnsafeMutablePointer<curl_slist>?

  init(_ request: HTTPRequest, configuration: CurlConfiguration) {
    self.request = request
    header = HeaderLines(
      maximumFields: configuration.maximumHeaderFields, maximumBytes: configuration.maximumHeaderBytes)
  }

  deinit { curl_slist_free_all(fieldList) }

  // MARK: Set-up

  /// Fills a fresh or reset handle. False: libcurl is out of memory or lacks an option.
  func prepare(_ handle: UnsafeMutableRawPointer, configuration: CurlConfiguration) -> Bool {
    let milliseconds = Self.milliseconds(request.timeout)
    let isSecure = request.url.scheme == "https"
    let own = Unmanaged.passUnretained(self).toOpaque()
    var results: [CURLcode] = []
    func set(_ option: CURLoption, _ value: Int) { results.append(authkit_curl_set_long(handle, option, value)) }
    func set(_ option: CURLoption, _ value: String?) { results.append(authkit_curl_set_text(handle, option, value)) }

    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_URL, request.url.description)
    set(CURLOPT_PROTOCOLS_STR, request.url.scheme)
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_TIMEOUT_MS, milliseconds)
    set(CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, Self.milliseconds(configuration.connectTimeout)))
    set(CURLOPT_MAXFILESIZE, min(request.maximumBodyBytes, 1 << 40))
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let file = configuration.certificateFile {
      set(CURLOPT_CAINFO, file)
      // Without this the system's directory would still be trusted beside the file.
      set(CURLOPT_CAPATH, nil)
    }
    if let pins = configuration.pinText { set(CURLOPT_PINNEDPUBLICKEY, pins) }
    // An empty proxy means none, whatever the environment says.
    if !isSecure || !configuration.usesEnvironmentProxy { set(CURLOPT_PROXY, "") }

    results.append(authkit_curl_set_write(handle, CURLOPT_HEADERFUNCTION, CurlCallbacks.header))
    results.append(authkit_curl_set_pointer(handle, CURLOPT_HEADERDATA, own))
    results.append(authkit_curl_set_write(handle, CURLOPT_WRITEFUNCTION, CurlCallbacks.write))
    results.append(authkit_curl_set_pointer(handle, CURLOPT_WRITEDATA, own))
    setMethod(handle, own, &results)
    guard makeFieldList() else { return false }
    results.append(authkit_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fieldList))
    return results.allSatisfy { $0 == CURLE_OK }
  }

  private func setMethod(
    _ handle: UnsafeMutableRawPointer, _ own: UnsafeMutableRawPointer, _ results: inout [CURLcode]
  ) {
    let hasBody = request.body != nil || request.method == "POST" || request.method == "PUT"
    if hasBody {
      results.append(authkit_curl_set_long(handle, CURLOPT_POST, 1))
      results.append(authkit_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, request.body?.count ?? 0))
      results.append(authkit_curl_set_read(handle, CURLOPT_READFUNCTION, CurlCallbacks.read))
      results.append(authkit_curl_set_pointer(handle, CURLOPT_READDATA, own))
      // libcurl repeats a request by itself when a kept connection turns out dead. It cannot know whether the server
      // has acted on the first one, so a body that was begun is never rewound.
      results.append(authkit_curl_set_seek(handle, CURLOPT_SEEKFUNCTION, CurlCallbacks.seek))
    } else if request.method == "HEAD" {
      results.append(authkit_curl_set_long(handle, CURLOPT_NOBODY, 1))
    }
    if !(request.method == "GET" && !hasBody), request.method != "HEAD" {
      results.append(authkit_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method))
    }
  }

  private func makeFieldList() -> Bool {
    var lines = request.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    let names = Set(request.fields.map { $0.name.lowercased() })
    // A name without value takes out what libcurl would add.
    for name in ["Expect", "Content-Type", "Accept"] where !names.contains(name.lowercased()) {
      lines.append("\(name):")
    }
    for line in lines {
      guard let longer = curl_slist_append(fieldList, line) else { return false }
      fieldList = longer
    }
    return true
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return max(1, Int(min(seconds, 86_400)) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }

  // MARK: Callbacks

  func take(header line: UnsafeRawBufferPointer) -> Bool {
    guard header.take(line) else {
      refusal = "the answer's header is malformed or too large"
      return false
    }
    return true
  }

  func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= request.maximumBodyBytes - body.count else {
      refusal = "the answer's body is too long"
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  func give(_ target: UnsafeMutableRawBufferPointer) -> Int {
    guard let bytes = request.body, sent < bytes.count else { return 0 }
    let count = min(target.count, bytes.count - sent)
    bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
    sent += count
    return count
  }

  // MARK: End

  /// Answers the waiting task, once.
  func finish(_ result: Result<HTTPResponse, AuthenticatorError>) {
    continuation?.resume(with: result.mapError { $0 })
    continuation = nil
  }

  /// Answers with what the handle came to.
  func finish(_ handle: UnsafeMutableRawPointer, _ code: CURLcode) {
    var status = 0
    guard code == CURLE_OK, refusal == nil,
      authkit_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK, (100...999).contains(status)
    else {
      finish(.failure(CurlFailure.error(code, handle: handle, refusal: refusal)))
      return
    }
    finish(.success(HTTPResponse(status: status, fields: header.fields, body: body)))
  }
}
