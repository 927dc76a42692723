import AuthenticatorJourneyServer
import Foundation
import Testing

/// Messages that two programs may read differently, and the connections they come on.
@Suite struct HTTPFramingTests {
  private static let path = Harness.base + "/authenticate?authIndexType=service&authIndexValue=Login"
  private static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

  private static let ambiguous: [String] = [
    // Space before the colon: no length for one, a length for another.
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length : 2\r\n\r\n{}",
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length\t: 2\r\n\r\n{}",
    "POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    // A NUL ends what the library sees.
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\0 9\r\n\r\n{}",
    "POST \(path) HTTP/1.1\r\nHost: a\r\nX: y\0\r\nContent-Length: 2\r\n\r\n{}",
    "POST \(path)\0/x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
    "GET /am/json/\0 HTTP/1.1\r\nHost: a\r\n\r\n",
    // Lines that end or go on in other ways.
    "POST \(path) HTTP/1.1\nHost: a\nContent-Length: 2\n\n{}",
    "POST \(path) HTTP/1.1\r\nHost: a\rContent-Length: 9\r\nContent-Length: 2\r\n\r\n{}",
    "POST \(path) HTTP/1.1\r\nHost: a\r\nX: y\r\n Content-Length: 9\r\nContent-Length: 2\r\n\r\n{}",
    "POST \(path) HTTP/1.1\r\nHost: a\r\n: y\r\nContent-Length: 2\r\n\r\n{}",
    "POST \(path) HTTP/1.1\r\nHost: a\r\nX\u{1}: y\r\nContent-Length: 2\r\n\r\n{}",
    "POST \(path) HTTP/1.1\r\nHost: a\r\nX: y\u{1}\r\nContent-Length: 2\r\n\r\n{}",
    // Whose is it?
    "POST \(path) HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}",
    "POST \(path) HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    // No address has raw bytes outside ASCII.
    "POST /am/json/é HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
  ]

  @Test(arguments: ambiguous) func refusesWhatAnotherProgramMayReadDifferently(text: String) async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write(text + Self.hidden)
      let answers = await socket.readAll()
      #expect(answers.hasPrefix("HTTP/1.1 400 "), "\(answers)")
      #expect(answers.contains("Connection: close"))
      #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 2, "what follows is no request: \(answers)")
    }
    await front.stop()
  }

  @Test(arguments: [
    "X:y", "X:  y", "X: y \t", "X:", "X: ", "Cookie: a=b; c=d", "Accept-Language: é",
    "X-Long: " + String(repeating: "x", count: 5000),
  ])
  func takesFieldsInEveryPlainForm(field: String) async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      // Twice on one connection, the second time after a body.
      for _ in 0..<2 {
        await socket.write(
          "POST \(Self.path) HTTP/1.1\r\nHost: a\r\n\(field)\r\nContent-Length: 2\r\nX-Last: z\r\n\r\n{}")
        #expect(await socket.readAnswer()?.status == 200)
      }
    }
    await front.stop()
  }

  @Test(arguments: [
    ("http://elsewhere.example:80\(path)", 200), ("HTTPS://a\(path)", 200), ("http://a", 404), ("http://a?x=y", 404),
    ("*", 404),
  ])
  func takesTargetsInAbsoluteForm(target: String, status: Int) async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write("POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}")
      #expect(await socket.readAnswer()?.status == status)
    }
    await front.stop()
  }

  @Test func makesRoomForWhoComesByEndingWhoWaitsLongest() async throws {
    // Nothing but the lack of room ends a connection here.
    let harness = try await Harness {
      $0.limits.connections = 8
      $0.limits.receiveTimeout = .seconds(3600)
    }
    let front = try HTTPFront(harness.server)
    do {
      let idle = try (0..<30).map { _ in try RawSocket(port: front.port) }
      let socket = try RawSocket(port: front.port)
      await socket.write("POST \(Self.path) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}")
      #expect(await socket.readAnswer()?.status == 200)
      #expect(await idle[0].readAll().isEmpty, "the first was closed")
      while front.connectionCount > 8 { try await Task.sleep(for: .milliseconds(5)) }
      // Whoever was served last is not the one who goes.
      await socket.write("POST \(Self.path) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}")
      #expect(await socket.readAnswer()?.status == 200)
    }
    await front.stop()
  }

  @Test(arguments: [
    ("GET", "/authenticate", "POST"), ("GET", "/sessions", "POST"), ("POST", "/serverinfo/*", "GET"),
    ("POST", "/users/mira", "GET"), ("POST", "/users/mira/devices/2fa/binding", "GET"),
    ("POST", "/users/mira/devices/2fa/binding/x", "GET, DELETE"), ("PUT", "/users/mira/devices/2fa/webauthn", "GET"),
  ])
  func saysWhichMethodsAnAddressHas(method: String, path: String, allowed: String) async throws {
    let harness = try await Harness()
    let answer = try await harness.send(method, Harness.base + path, session: try await harness.session())
    #expect(answer.status == 405)
    #expect(answer.response.fields.filter { $0.name == "Allow" }.map(\.value) == [allowed])
  }
}
