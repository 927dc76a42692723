import AuthenticatorCore
import AuthenticatorHTTP
import Foundation
import Testing

extension CurlTransportTests {
  // MARK: Hostile answers

  @Test func refusesAnnouncedBodyBeforeReadingIt() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
      connection.waitForClose()
    }
    let error = await failure { try await CurlTransport().send(get(server, limit: 1000)) }
    #expect(error?.code == .invalidMessage)
  }

  @Test func refusesEndlessBodyWhileItArrives() async throws {
    let written = Seen()
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
      while connection.write(chunk) { written.add("") }
    }
    let error = await failure { try await CurlTransport().send(get(server, limit: 1 << 20)) }
    #expect(error?.code == .invalidMessage)
    // What the limit admits, and what sockets hold.
    #expect(written.texts.count < 512)
  }

  @Test func admitsBodyOfExactlyTheLimit() async throws {
    let server = try RawServer { connection in
      if connection.readRequest() != nil { connection.write(Self.answer(String(repeating: "x", count: 1000))) }
    }
    #expect(try await CurlTransport().send(get(server, limit: 1000)).body.count == 1000)
  }

  @Test func endsDrippingAnswerAtTheTimeLimit() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      while connection.write("x") { usleep(20_000) }
    }
    let error = await failure { try await CurlTransport().send(get(server, timeout: .seconds(2))) }
    #expect(error?.code == .timedOut)
    #expect(error?.isSafeToRetry == false)
  }

  @Test func saysThatCutAnswerMayHaveBeenActedOn() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
    }
    let error = await failure { try await CurlTransport().send(get(server)) }
    #expect(error?.code == .transportFailed)
    #expect(error?.isSafeToRetry == false)
  }

  @Test func saysThatUnansweredRequestMayHaveBeenActedOn() async throws {
    let server = try RawServer { connection in _ = connection.readRequest() }
    let error = await failure { try await CurlTransport().send(get(server)) }
    #expect(error?.code == .transportFailed)
    #expect(error?.isSafeToRetry == false)
  }

  @Test func saysThatRefusedConnectionIsSafeToRetry() async throws {
    let port = try RawServer { _ in }.port
    let request = HTTPRequest(method: "GET", url: try WebURL("http://127.0.0.1:\(port)/"))
    let error = await failure { try await CurlTransport().send(request) }
    #expect(error?.code == .transportFailed)
    #expect(error?.isSafeToRetry == true)
  }

  @Test(arguments: [
    "just text\n",
    "HTTP/1.1 banana\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\n: nameless\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    "SSH-2.0-OpenSSH_9\r\n\r\n",
  ])
  func refusesWhatIsNoHTTP(_ answer: String) async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(answer)
    }
    let error = await failure { try await CurlTransport().send(get(server)) }
    #expect(error?.code == .invalidMessage)
  }

  @Test func refusesBrokenChunks() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n")
    }
    let error = await failure { try await CurlTransport().send(get(server)) }
    #expect(error?.code == .transportFailed)
    #expect(error?.isSafeToRetry == false)
  }

  @Test func refusesTooManyFields() async throws {
    let fields = String(repeating: "X: y\r\n", count: 101)
    let server = try RawServer { connection in
      if connection.readRequest() != nil { connection.write("HTTP/1.1 200 OK\r\n" + fields + "\r\n") }
    }
    let error = await failure { try await CurlTransport().send(get(server)) }
    #expect(error?.code == .invalidMessage)
  }

  @Test func refusesLargeHeader() async throws {
    let field = "X: " + String(repeating: "y", count: 40_000) + "\r\n"
    let server = try RawServer { connection in
      if connection.readRequest() != nil { connection.write("HTTP/1.1 200 OK\r\n" + field + field + "\r\n") }
    }
    let error = await failure { try await CurlTransport().send(get(server)) }
    #expect(error?.code == .invalidMessage)
  }

  @Test func refusesEndlessInterimAnswers() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      while connection.write("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n") {}
    }
    let error = await failure { try await CurlTransport().send(get(server)) }
    #expect(error?.code == .invalidMessage)
  }

  @Test func keepsOnlyTheFinalAnswersFields() async throws {
    let server = try RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(
        "HTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nX-Late: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "1\r\na\r\n0\r\nX-Trailer: 3\r\n\r\n")
    }
    let response = try await CurlTransport().send(get(server))
    #expect(response.fields.map(\.name) == ["X-Late", "Transfer-Encoding"])
    #expect(response.body == [UInt8(ascii: "a")])
  }

  @Test func leavesCompressedBodyAlone() async throws {
    let server = try RawServer { connection in
      if connection.readRequest() != nil {
        connection.write(Self.answer("not gzip", fields: "Content-Encoding: gzip\r\n"))
      }
    }
    #expect(try await CurlTransport().send(get(server)).body == Array("not gzip".utf8))
  }
}
