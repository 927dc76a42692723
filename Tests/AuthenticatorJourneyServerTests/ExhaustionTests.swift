import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Foundation
import Glibc
import TestMachine
import Testing

/// What many clients at once may cost the server, and that those who behave are still served.
@Suite(.serialized) struct ExhaustionTests {
  private static let startPath = Harness.base + "/authenticate?authIndexType=service&authIndexValue=Login"

  /// Opens connections that begin a request and never end it.
  private func slowClients(_ count: Int, at port: UInt16) async throws -> [RawSocket] {
    var sockets: [RawSocket] = []
    for _ in 0..<count {
      let socket = try RawSocket(port: port)
      await socket.write("POST \(Self.startPath) HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
      sockets.append(socket)
    }
    return sockets
  }

  /// A thousand within the limit on connections, and more than it admits.
  @Test(arguments: [1024, 300]) func slowHeadersKeepNobodyOut(limit: Int) async throws {
    try raiseDescriptorLimit(to: 4096)
    let harness = try await Harness { $0.limits.connections = limit }
    let front = try HTTPFront(harness.server)
    do {
      let slow = try await slowClients(1000, at: front.port)
      // The server takes them in its own time.
      let deadline = ContinuousClock.now + .seconds(60)
      while front.connectionCount < min(limit, 1000) - 1, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(front.connectionCount >= min(limit, 1000) - 1)
      for _ in 0..<5 {
        let socket = try RawSocket(port: front.port)
        await socket.write(
          "POST \(Self.startPath) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: 2\r\n\r\n{}")
        #expect(await socket.readAnswer()?.status == 200)
      }
      #expect(front.connectionCount <= limit + 64)
      #expect(slow.count == 1000)
    }
    await front.stop()
  }

  /// The test is client and server in one process.
  private func raiseDescriptorLimit(to wanted: UInt) throws {
    var limit = rlimit()
    #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    try #require(limit.rlim_cur == wanted && setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
  }

  // MARK: Passwords

  /// At most two derivations at once, and a queue of sixteen; without the bound 500 of 32 MiB would be had at once. In
  /// a process of its own: other tests would be measured with it.
  @Test func manyPasswordsAtOnceStayWithinTheirMemory() async {
    await #expect(processExitsWith: .success) {
      let width = 2
      let derivation = 32 << 20
      let harness = try await Harness(users: []) {
        $0.limits.passwordWidth = width
        $0.limits.passwordQueue = 16
        $0.passwordCost = ScryptParameters(logN: 15, r: 8, p: 1)
        $0.passwordBounds = ScryptBounds(minimumLogN: 15)
      }
      // Each name fails for itself, so that no lock answers in place of the bound.
      var steps: [JSONValue] = []
      for number in 0..<500 {
        steps.append(harness.credentials(try await harness.start("Login"), "name-\(number)", "wrong"))
      }
      let before = try peakMemory()
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for step in steps { group.addTask { try await harness.post(step).status } }
        return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      let growth = try peakMemory() - before
      #expect(Set(statuses.keys) == [200, 503], "\(statuses)")
      #expect((statuses[200] ?? 0) >= width + 16)
      #expect(growth < 2 * derivation * width, "\(growth >> 20) MiB")
      #expect(growth > derivation / 2, "it was really measured")
    }
  }

  // MARK: Journeys

  /// Starting costs the client a token and the server nothing.
  @Test func startsAreNotRemembered() async throws {
    let harness = try await Harness()
    let first = try await harness.start("Login")
    for _ in 0..<2000 { #expect(try await harness.start("Login").status == 200) }
    #expect(try await harness.registry.rememberedJourneyCount() == 0)
    #expect(try await harness.post(harness.credentials(first)).token != nil, "the oldest one ends")
  }

  /// As many journeys under way as may be: newcomers are refused, and those that were there end.
  @Test func aFullServerLetsOldJourneysEnd() async throws {
    let limit = 300
    let harness = try await Harness(registry: InMemoryRegistry(limits: RegistryLimits(journeys: limit)))
    // One step of these is behind them.
    var under: [Answer] = []
    for _ in 0..<limit {
      let name = try await harness.start("SignDevice")
      under.append(try await harness.post(name.filled([0: ["": "mira"]])))
    }
    #expect(under.allSatisfy { $0.status < 500 })
    for _ in 0..<1000 {
      let refused = try await harness.login()
      #expect(refused.status == 503)
      #expect(refused.token == nil)
    }
    #expect(try await harness.registry.rememberedJourneyCount() == limit)
    let lifetime = harness.server.configuration.limits.stepLifetime.components.seconds
    harness.clock.advance(by: 2 * lifetime + 1)
    #expect(try await harness.login().token != nil, "room comes back with time")
  }

  @Test func aJourneyUnderWayEndsOnAFullServer() async throws {
    let harness = try await Harness(registry: InMemoryRegistry(limits: RegistryLimits(journeys: 1)))
    let retry = try await harness.login("mira", "wrong")
    #expect(retry.status == 200)
    for _ in 0..<100 { #expect(try await harness.login("noor").status == 503) }
    #expect(try await harness.post(harness.credentials(retry)).token != nil)
  }

  // MARK: Tokens that name their own keys

  /// A socket that must see nobody.
  private final class Silent {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let descriptor = descriptor
      let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0 && getsockname(descriptor, $0, &size) == 0
        }
      }
      port = UInt16(bigEndian: address.sin_port)
      try #require(isListening)
    }

    deinit { close(descriptor) }

    /// Whether anybody has connected since the last call.
    var wasVisited: Bool {
      let visitor = accept(descriptor, nil, nil)
      if visitor >= 0 { close(visitor) }
      return visitor >= 0
    }
  }

  @Test(arguments: ["jku", "x5u", "jwk", "kid"]) func nothingIsFetchedForAToken(member: String) async throws {
    let silent = try Silent()
    let url = JSONValue.string("http://127.0.0.1:\(silent.port)/keys.json")
    let named: JSONValue = member == "jwk" ? ["kty": "EC", "crv": "P-256", "x5u": url, "jku": url] : url
    let harness = try await Harness()

    // The server's own tokens.
    let page = try await harness.start("Login")
    let parts = try #require(page.authID).split(separator: ".").map(String.init)
    var header = try #require(try JSONValue.parse(try Base64URL.decode(parts[0])).objectValue)
    header[member] = named
    var step = try #require(harness.credentials(page).objectValue)
    step["authId"] = .string(([Base64URL.encode(header.serialized())] + parts.dropFirst()).joined(separator: "."))
    #expect(try await harness.post(.object(step)).status >= 400)
    #expect(!silent.wasVisited)

    // Proofs of devices: what the header names besides the key is not looked at, and another key's is refused.
    var device = try Device()
    #expect(try await harness.bind(device).token != nil)
    let name = try await harness.start("SignDevice")
    let question = try await harness.post(name.filled([0: ["": "mira"]]))
    device.key = try PrivateKey.generate(.es256)
    let proof = try device.proof(for: question, now: harness.clock.now.seconds) { header, _ in header[member] = named }
    let answer = try await harness.post(question.filled([0: ["jws": .string(proof)]]))
    #expect(answer.token == nil)
    let other = try Device(keyID: "key-2")
    let login = try await harness.login(journey: "BindDevice")
    let binding = try other.proof(for: login, binding: true, now: harness.clock.now.seconds) { header, _ in
      if var jwk = header["jwk"]?.objectValue, member == "jwk" {
        jwk["x5u"] = url
        jwk["jku"] = url
        header["jwk"] = .object(jwk)
      } else {
        header[member] = named
      }
    }
    _ = try await harness.post(login.filled([0: ["jws": .string(binding), "deviceName": "x", "deviceId": "y"]]))
    #expect(!silent.wasVisited)
    // The socket works.
    _ = try RawSocket(port: silent.port)
    #expect(silent.wasVisited)
  }
}
