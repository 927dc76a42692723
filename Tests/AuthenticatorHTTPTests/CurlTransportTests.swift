import AuthenticatorCore
import AuthenticatorHTTP
import Foundation
import Testing

/// What a transport threw, so that a test can look at code and retry safety.
func failure(_ body: () async throws -> HTTPResponse) async -> AuthenticatorError? {
  do {
    let response = try await body()
    Issue.record("answered with \(response.status)")
    return nil
  } catch let error as AuthenticatorError {
    return error
  } catch {
    Issue.record("threw \(error)")
    return nil
  }
}

@Suite struct CurlTransportTests {
  func get(_ server: RawServer, limit: Int = 1 << 20, timeout: Duration = .seconds(10)) throws -> HTTPRequest {
    HTTPRequest(method: "GET", url: try WebURL(server.url()), timeout: timeout, maximumBodyBytes: limit)
  }

  static func answer(_ body: String, fields: String = "") -> String {
    "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
  }

  @Test func returnsStatusFieldsAndBody() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(
        "HTTP/1.1 404 Nowhere\r\nX-One:  a b \r\nSet-Cookie: c=1\r\nset-cookie: d=2\r\nContent-Length: 3\r\n\r\nabc")
    }
    let response = try await CurlTransport().send(get(server))
    #expect(response.status == 404)
    #expect(response.body == Array("abc".utf8))
    #expect(response.values("x-one") == ["a b"])
    #expect(response.values("Set-Cookie") == ["c=1", "d=2"])
  }

  @Test func sendsExactlyTheRequest() async throws {
    let seen = Seen()
    let server = try RawServer { connection in
      guard let request = connection.readRequest() else { return }
      seen.add(request)
      connection.write(Self.answer(""))
    }
    _ = try await CurlTransport().send(
      HTTPRequest(
        method: "POST", url: try WebURL(server.url("/am/./x?a=b%20c")),
        fields: [HTTPField("Content-Type", "application/json"), HTTPField("X-Empty", "")], body: Array("{}".utf8)))
    let lines = seen.texts.joined().components(separatedBy: "\r\n")
    #expect(lines.first == "POST /am/./x?a=b%20c HTTP/1.1")
    #expect(lines.last == "{}")
    #expect(
      Set(lines.dropFirst().dropLast().filter { !$0.isEmpty }) == [
        "Host: 127.0.0.1:\(server.port)", "Content-Type: application/json", "X-Empty:", "Content-Length: 2",
      ])
  }

  @Test(arguments: ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"])
  func sendsMethod(_ method: String) async throws {
    let seen = Seen()
    let server = try RawServer { connection in
      guard let request = connection.readRequest() else { return }
      seen.add(request)
      connection.write(Self.answer(method == "HEAD" ? "" : "x"))
    }
    let response = try await CurlTransport().send(HTTPRequest(method: method, url: try WebURL(server.url())))
    #expect(seen.texts.joined().hasPrefix("\(method) / HTTP/1.1\r\n"))
    #expect(response.status == 200)
  }

  @Test func keepsItsConnection() async throws {
    let server = try RawServer { connection in
      while connection.readRequest() != nil { connection.write(Self.answer("x")) }
    }
    let transport = try CurlTransport()
    for _ in 0..<5 { #expect(try await transport.send(get(server)).status == 200) }
    #expect(server.connectionCount == 1)
  }

  @Test func staysWithinItsConnections() async throws {
    let server = try RawServer { connection in
      while connection.readRequest() != nil { connection.write(Self.answer("x")) }
    }
    let transport = try CurlTransport(CurlConfiguration(maximumConnections: 4))
    let request = try get(server)
    let answered = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<60 { group.addTask { try await transport.send(request).status } }
      return try await group.reduce(0) { $1 == 200 ? $0 + 1 : $0 }
    }
    #expect(answered == 60)
    #expect(server.mostOpen <= 4)
  }

  @Test func followsNoRedirect() async throws {
    let other = try RawServer { connection in
      if connection.readRequest() != nil { connection.write(Self.answer("stolen")) }
    }
    let target = other.url("/elsewhere")
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
    }
    let response = try await CurlTransport().send(get(server))
    #expect(response.status == 302)
    #expect(response.values("Location") == [target])
    #expect(other.connectionCount == 0)
  }

  @Test func sendsNoCookieItWasNotGiven() async throws {
    let seen = Seen()
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        seen.add(request)
        connection.write(Self.answer("", fields: "Set-Cookie: a=b; Path=/\r\n"))
      }
    }
    let transport = try CurlTransport()
    for _ in 0..<2 { _ = try await transport.send(get(server)) }
    #expect(seen.texts.count == 2)
    #expect(!seen.texts.contains { $0.lowercased().contains("cookie:") })
  }

  // MARK: Once

  @Test func neverSendsBodyTwiceOverDeadConnection() async throws {
    let requests = Seen()
    let server = try RawServer { connection in
      guard let first = connection.readRequest() else { return }
      requests.add(first)
      connection.write(Self.answer("x"))
      // Reads the second request, and dies before answering it.
      if let second = connection.readRequest() { requests.add(second) }
    }
    let transport = try CurlTransport()
    let request = HTTPRequest(method: "POST", url: try WebURL(server.url()), body: Array("one-time".utf8))
    #expect(try await transport.send(request).status == 200)
    let error = await failure { try await transport.send(request) }
    #expect(error?.code == .transportFailed)
    #expect(error?.isSafeToRetry == false)
    #expect(error?.reason.contains("rewind") == false, "what libcurl tried by itself tells nobody anything")
    // A second connection may have been opened, but nothing may come over it.
    try await server.waitUntilQuiet()
    #expect(requests.texts.count == 2)
  }

  @Test func endsWhenItsTaskIsCancelled() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.waitForClose()
    }
    let transport = try CurlTransport()
    let request = try get(server, timeout: .seconds(60))
    let task = Task { await failure { try await transport.send(request) } }
    while server.connectionCount == 0 { await Task.yield() }
    task.cancel()
    #expect(await task.value?.code == .appCanceled)
  }

  @Test func sendsNothingForCancelledTask() async throws {
    let server = try RawServer { connection in _ = connection.readRequest() }
    let transport = try CurlTransport()
    let request = try get(server)
    let error = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure { try await transport.send(request) }
    }.value
    #expect(error?.code == .appCanceled)
    #expect(error?.isSafeToRetry == true)
  }

  // MARK: Refused before connecting

  @Test func refusesPlainHTTPToOthers() async throws {
    let request = HTTPRequest(method: "GET", url: try WebURL("http://example.com/"))
    let error = await failure { try await CurlTransport().send(request) }
    #expect(error?.code == .transportFailed)
    #expect(error?.isSafeToRetry == true)
  }

  @Test func refusesPlainHTTPWhenPinned() async throws {
    let server = try RawServer { connection in
      if connection.readRequest() != nil { connection.write(Self.answer("")) }
    }
    let transport = try CurlTransport(CurlConfiguration(pinnedKeys: [[UInt8](repeating: 1, count: 32)]))
    let error = await failure { try await transport.send(get(server)) }
    #expect(error?.code == .transportFailed)
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: [
    HTTPField("X-A", "b\r\nX-C: d"), HTTPField("X-A", "b\nc"), HTTPField("X A", "b"), HTTPField("", "b"),
    HTTPField("Host", "evil"), HTTPField("content-length", "0"), HTTPField("Transfer-Encoding", "chunked"),
    HTTPField("X-A", "b\u{0}c"),
  ])
  func refusesField(_ field: HTTPField) async throws {
    let server = try RawServer { connection in
      if connection.readRequest() != nil { connection.write(Self.answer("")) }
    }
    var request = try get(server)
    request.fields = [field]
    let error = await failure { try await CurlTransport().send(request) }
    #expect(error?.code == .invalidRequest)
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: ["/a b", "/a#b", "/\r\nX: y", "no-slash", "/a?b", "/ü"])
  func refusesPath(_ path: String) async throws {
    var request = HTTPRequest(method: "GET", url: try WebURL("http://127.0.0.1:9/"))
    request.url.path = path
    let error = await failure { try await CurlTransport().send(request) }
    #expect(error?.code == .invalidRequest)
  }

  @Test(arguments: ["", "G T", "GET\r\n", "ÄT"])
  func refusesMethod(_ method: String) async throws {
    let request = HTTPRequest(method: method, url: try WebURL("http://127.0.0.1:9/"))
    let error = await failure { try await CurlTransport().send(request) }
    #expect(error?.code == .invalidRequest)
  }

  @Test func refusesUnusableConfiguration() {
    let bad = [
      CurlConfiguration(certificateFile: "/no/such/file.pem"), CurlConfiguration(certificateFile: "/tmp"),
      CurlConfiguration(pinnedKeys: [[1, 2, 3]]),
      CurlConfiguration(connectTimeout: .zero), CurlConfiguration(maximumConnections: 0),
      CurlConfiguration(maximumHeaderFields: 0),
    ]
    for configuration in bad {
      #expect(throws: AuthenticatorError(.invalidRequest)) { try CurlTransport(configuration) }
    }
  }
}
