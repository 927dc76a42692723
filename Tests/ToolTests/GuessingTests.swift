import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorHTTP
import AuthenticatorKeyStore
import AuthenticatorSQLite
import DeviceAuthenticators
import Glibc
import Synchronization
import Testing
import ToolSupport

/// Many guesses at once, and a server, or the tool itself, that is killed while they come.
@Suite(.serialized) struct GuessingTests {
  /// Wrong passwords until an account is locked, and for how long it is then.
  private static let failuresBeforeLock = 5
  private static let lock = Duration.seconds(30)

  @Test func aKilledServerForgetsNoAttempt() async throws {
    let folder = try TemporaryFolder()
    try folder.write("users.json", #"[{"username": "mira", "password": "correct horse"}]"#)
    func serve() async throws -> (process: ChildProcess, url: String) {
      let process = try Tool.start([
        "serve", "--port", "0", "--users", folder.file("users.json"), "--registry", folder.file("registry.sqlite"),
        "--json",
      ])
      let line = try JSONValue.parse(try await process.firstLine())
      return (process, try #require(line["url"]?.stringValue))
    }

    let guesses = Guesses(1000)
    let begin = ContinuousClock.now
    // Killed after the first verdict, and again after one more.
    for verdicts in [1, 2, Int.max] {
      let (process, url) = try await serve()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { await guesses.make(at: url) } }
        while guesses.verdicts < verdicts, !guesses.areDone { try? await Task.sleep(for: .milliseconds(1)) }
        if verdicts < .max { process.end() }
      }
      guard verdicts == .max else { continue }
      let locked = try #require(try await Guesser(url).guess("correct horse"))
      #expect(!locked.isVerdict, "the right password is not looked at either")
      process.end()
    }
    // A lock that ends allows one more.
    let more = Int((ContinuousClock.now - begin) / Self.lock)
    #expect((2...Self.failuresBeforeLock + more).contains(guesses.verdicts), "\(guesses.verdicts)")
    #expect(guesses.areDone && guesses.refusals > 900, "\(guesses.refusals)")
  }

  /// The same for a key's PIN: an attempt is in the store before the PIN is compared. The tool is killed while it
  /// compares, right after it has said no to another.
  @Test func aKilledToolForgetsNoAttemptAtThePIN() async throws {
    let bench = try await Bench()
    try bench.person(Bench.pin("31415926"), Bench.pin("31415926"))
    try await bench.bind("BindDevicePIN")
    let begin = ContinuousClock.now
    var verdicts = 0
    for round in 0..<2 {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<4 { group.addTask { try await Self.guessAndBeKilled(bench, "\(round)-\(number)") } }
        for try await count in group { verdicts += count }
      }
    }
    let elapsed = ContinuousClock.now - begin
    let store = try await SQLiteKeyStore.open(
      path: bench.store, environment: AuthenticatorEnvironment(appIdentifier: nil, deviceName: "test"))
    let key = try #require(try await store.records(matching: .everything).first)
    let paid = try await store.attempts(of: ApplicationPINAuthenticator.domain(of: key.owner)).failures
    #expect((1...max(1, paid)).contains(verdicts), "\(verdicts) of \(paid)")
    // A pause that has ended allows one more.
    var (allowed, pauses) = (0, Duration.zero)
    while pauses <= elapsed {
      allowed += 1
      pauses += AttemptPolicy.standard.delay(after: allowed)
    }
    #expect(paid <= allowed, "\(paid) within \(elapsed)")
  }

  /// Enters wrong PINs on a device of its own until a second one is asked for.
  /// - Returns: how many PINs were compared and refused for certain.
  private static func guessAndBeKilled(_ bench: Bench, _ name: String) async throws -> Int {
    let transcript = bench.folder.file("transcript-\(name)")
    let device: JSONObject = [
      "version": 1, "transcript": .string(transcript),
      "steps": .array((0..<3).map { Bench.pin("0000000\($0)") }),
    ]
    let file = try bench.folder.write("device-\(name).json", device.serializedString())
    let words = bench.login("SignDevice").map { $0.hasPrefix("scripted:") ? "scripted:" + file : $0 }
    let tool = try Tool.start(words)
    let entered = { (TemporaryFolder.read(transcript) ?? []).count { $0 == 0x0A } }
    try await waitUntil { entered() > 1 || tool.hasEnded }
    tool.send(SIGKILL)
    let result = try await tool.result()
    // What was entered last has an answer only where the tool came to tell it.
    guard result.status != 137, try result.json()["ceremonies"]?[0]?["result"] == "userVerificationFailed" else {
      return max(0, entered() - 1)
    }
    return entered()
  }
}

/// Guesses that several connections share.
private final class Guesses: Sendable {
  private struct State {
    var left: Int
    var verdicts = 0
    var refusals = 0
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(left: count)) }

  var verdicts: Int { state.withLock { $0.verdicts } }
  var refusals: Int { state.withLock { $0.refusals } }
  var areDone: Bool { state.withLock { $0.left == 0 } }

  /// Guesses over one connection until none is left or the server has gone.
  func make(at url: String) async {
    guard let guesser = try? Guesser(url) else { return }
    while true {
      let number = state.withLock { state -> Int? in
        guard state.left > 0 else { return nil }
        state.left -= 1
        return state.left
      }
      guard let number, let answer = try? await guesser.guess("guess \(number)") else { return }
      state.withLock { state in
        if answer.isVerdict { state.verdicts += 1 } else { state.refusals += 1 }
      }
    }
  }
}

/// One connection.
private struct Guesser {
  private let transport: CurlTransport
  private let url: WebURL

  init(_ url: String) throws {
    transport = try CurlTransport()
    self.url = try WebURL("\(url)/json/realms/root/authenticate?authIndexType=service&authIndexValue=Login")
  }

  /// Starts a journey and answers with a password: whether it was compared, or refused unseen.
  func guess(_ password: String) async throws -> (isVerdict: Bool, message: String)? {
    var step = try await post([:]).objectValue ?? [:]
    guard var callbacks = step["callbacks"]?.arrayValue, callbacks.count == 2 else { return nil }
    for (place, value) in ["mira", password].enumerated() {
      guard var callback = callbacks[place].objectValue, let name = callback["input"]?[0]?["name"] else { return nil }
      callback["input"] = [["name": name, "value": .string(value)]]
      callbacks[place] = .object(callback)
    }
    step["callbacks"] = .array(callbacks)
    let answer = try await post(.object(step))
    let message = answer["message"]?.stringValue ?? ""
    return (message != "Your account has been locked.", message)
  }

  private func post(_ body: JSONValue) async throws -> JSONValue {
    let request = HTTPRequest(
      method: "POST", url: url, fields: [HTTPField("Content-Type", "application/json")], body: body.serialized())
    return try JSONValue.parse(try await transport.send(request).body)
  }
}
