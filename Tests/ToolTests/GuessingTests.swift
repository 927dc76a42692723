import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorHTTP
import Synchronization
import Testing
import ToolSupport

/// Many guesses at once, and a server that is killed while they come.
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
