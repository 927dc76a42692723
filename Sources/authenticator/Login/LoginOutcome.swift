import AuthenticatorCoding
import AuthenticatorJourney

/// What `login` prints: how the journey ended and what happened on the way.
struct LoginOutcome: Sendable {
  enum Word: String, Sendable { case success, failure, suspended }

  /// One node as received.
  struct Step: Sendable {
    var stage: String?
    var callbacks: [String]
  }

  /// One prompt that was shown.
  struct Prompt: Sendable {
    var kind: String
    var result: String
  }

  /// One proof the device was asked for.
  struct Ceremony: Sendable {
    static let signed = "signed"
    static let removed = "removed"

    var callback: String
    /// `signed`; `removed` where keys were to be forgotten; or the code of what kept the device from it.
    var result: String
    /// The word the server was told; nil for a proof.
    var clientError: String?
    /// Tries that are left before the next lock, and the wait before one can succeed, where they are known.
    var attemptsRemaining: Int?
    var retryAfter: Duration?

    var isDone: Bool { result == Self.signed || result == Self.removed }
  }

  var word: Word
  var session: JourneySession?
  /// The token of the session that was there before, from a session file; nil: there was none.
  var givenToken: String?
  /// Unless the word is success: what it was.
  var failure: Failure?
  var httpStatus: Int?
  var steps: [Step] = []
  var prompts: [Prompt] = []
  var ceremonies: [Ceremony] = []

  var exitStatus: ExitStatus {
    switch word {
    case .success, .suspended: .success
    case .failure: failure?.status ?? .refused
    }
  }

  var json: JSONObject {
    var json: JSONObject = [
      "outcome": .string(word.rawValue),
      "session": (word == .success ? session : nil).map {
        ["tokenId": .string($0.tokenID), "successUrl": .string($0.successURL), "realm": .string($0.realm)]
      } ?? .null,
    ]
    if let failure {
      if word == .failure { json["error"] = .string(failure.code) }
      json["code"] = .string(failure.code)
      json["message"] = .string(failure.message)
      json["stage"] = .string(failure.stage)
    }
    json["status"] = httpStatus.map { .integer(Int64($0)) } ?? .null
    json["steps"] = .array(
      steps.map { step in
        ["stage": step.stage.map(JSONValue.string) ?? .null, "callbacks": .array(step.callbacks.map(JSONValue.string))]
      })
    json["prompts"] = .array(prompts.map { ["kind": .string($0.kind), "result": .string($0.result)] })
    json["ceremonies"] = .array(
      ceremonies.map {
        [
          "callback": .string($0.callback), "result": .string($0.result),
          "clientError": $0.clientError.map(JSONValue.string) ?? .null,
          "attemptsRemaining": $0.attemptsRemaining.map { .integer(Int64($0)) } ?? .null,
          "retryAfter": $0.retryAfter.map { .integer(Failure.wholeSeconds($0)) } ?? .null,
        ]
      })
    return json
  }

  /// The outcome of a journey that was not even begun, or never answered: what every failure says, and the rest of what
  /// programs look for.
  static func failure(_ error: any Error) -> Failure {
    var failure = Failure(error)
    for member in LoginOutcome(word: .failure, failure: failure).json where failure.details[member.name] == nil {
      failure.details[member.name] = member.value
    }
    return failure
  }

  /// For people: one line, and what kept the device from signing. The token is for programs only.
  var lines: [String] {
    switch word {
    case .success:
      guard let session else { return ["signed in"] }
      return [session.hasToken ? "signed in to realm \(session.realm)" : "authenticated, without a session"]
    case .suspended:
      return [
        "suspended: \(failure?.message ?? "")",
        "go on with the link that was sent: add --resume LINK in place of --journey",
      ]
    case .failure: return []
    }
  }

  /// For people: why it failed, on standard error. With `--json` it stands in the outcome.
  func explain(on console: Console, allowsSoftwareKeys: Bool) {
    guard !console.isJSON, word == .failure, let failure else { return }
    let device = ceremonies.last { !$0.isDone }.map {
      "; the device answered \($0.result)" + Failure.hints($0.attemptsRemaining, $0.retryAfter)
        + ($0.result == "unsupported" && !allowsSoftwareKeys ? "; --allow-software-keys admits keys in software" : "")
    }
    console.say("authenticator: \(failure.message)\(device ?? "") (\(failure.code))")
  }
}
