internal import AuthenticatorCoding
internal import AuthenticatorRelyingParty

/// What a client wrote into the hidden field of a UAF step: a message, or `ERROR::code::RESULT` with UAF's error code
/// and the word of the client's SDK.
enum UAFClientAnswer: Hashable, Sendable {
  /// A message, not read yet.
  case message(String)
  /// The client reports why there is none; the word in upper case.
  case error(code: Int, result: String)
  /// The field came back as it was: the client knows nothing of UAF.
  case untouched
  /// None of these.
  case malformed

  /// The field's id.
  static let fieldID = "uafOutcome"

  init(_ text: String?) {
    guard let text, !text.isEmpty, text != Self.fieldID else {
      self = .untouched
      return
    }
    guard text.hasPrefix("ERROR") else {
      self = text.utf8.count <= UAFReceivedResponse.maximumBytes ? .message(text) : .malformed
      return
    }
    guard text.utf8.count <= 256 else {
      self = .malformed
      return
    }
    let parts = text.split(separator: "::", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, parts[0] == "ERROR", Self.isNumber(parts[1]), let code = Int(parts[1]),
      (0...255).contains(code), Self.isWord(parts[2])
    else {
      self = .malformed
      return
    }
    self = .error(code: code, result: parts[2])
  }

  private static func isNumber(_ text: String) -> Bool { text.utf8.allSatisfy { (48...57).contains($0) } }

  private static func isWord(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
  }

  /// Where the client's error leads.
  static func outcome(of result: String) -> NodeOutcome {
    switch result {
    case "FALLBACK": UAFAuthenticationNode.fallback
    case "CANCELED", "CANCELLED", "USER_CANCELLED": UAFRegistrationNode.cancelled
    case "UNSUPPORTED", "NOT_INSTALLED", "NOT_COMPATIBLE": UAFRegistrationNode.unsupported
    default: UAFRegistrationNode.clientError
    }
  }
}

extension NodeContext {
  /// The names that UAF nodes use in the shared state.
  enum UAFState {
    /// The client's `code::RESULT`.
    static let clientError = "uafClientError"
    /// The check that refused.
    static let failure = "uafFailure"
    /// What a changed key reports, until somebody accepts it.
    static let changed = "uafChangedKeys"
    /// What was confirmed: SHA-256 as base64url.
    static let confirmed = "uafConfirmedHash"
    /// Where the request was answered.
    static let facet = "uafFacet"
    /// How the person was verified, of each key that reports it.
    static let methods = "uafMethods"
  }

  /// What the client wrote into the field of a UAF step.
  var uafAnswer: UAFClientAnswer {
    UAFClientAnswer(answers?.first { $0.type == "HiddenValueCallback" }?.text())
  }

  /// What a request of a journey is for.
  var uafContext: String { "journey \(realm.path)" }

  /// The relying party that this journey's clients meet.
  func uafParty(_ policy: UAFAcceptancePolicy?) -> UAFRelyingParty {
    services.uaf.party(at: serverAddress, policy: policy)
  }

  /// The two callbacks of a UAF step.
  static func uafPage(_ action: String, _ message: String, milliseconds: Int64) -> NodeResult {
    .ask([
      .metadata([
        "_type": "UAF", "_action": .string(action), "uafRequest": .string(message), "timeout": .integer(milliseconds),
      ]), .hiddenValue(id: UAFClientAnswer.fieldID, value: ""),
    ])
  }

  /// Keeps what this step's response must be one to.
  mutating func rememberUAF(_ issued: UAFIssuedRequest) { memory = ["challenge": .string(issued.challenge)] }

  /// Notes how the person was verified, as far as keys report it; nothing is left of an earlier step.
  mutating func rememberUAF(_ reports: [(key: UAFRegistrationRecord, methods: [UAFReportedMethod])]) {
    let told = reports.filter { !$0.methods.isEmpty }.map { report -> JSONValue in
      let methods = report.methods.map { method -> JSONValue in
        [
          "userVerification": .integer(Int64(method.userVerification)),
          "keyProtection": .integer(Int64(method.keyProtection)),
          "matcherProtection": .integer(Int64(method.matcherProtection)),
        ]
      }
      return ["aaid": .string(report.key.aaid), "keyID": .string(report.key.keyIDText), "methods": .array(methods)]
    }
    state.shared[UAFState.methods] = told.isEmpty ? nil : .array(told)
  }

  /// Ends the step that was asked: what its request was. Nil: nothing was asked.
  mutating func endUAF() -> String? {
    defer { memory = [:] }
    return memory["challenge"]?.stringValue
  }

  /// Notes why a response was not accepted.
  mutating func refuseUAF(_ check: String) -> NodeResult {
    state.shared[UAFState.failure] = .string(check)
    services.log(.proofRefused(journey: journey, check: check))
    return .done(.failure)
  }

  /// Reads the response to this step's request, and uses the request up.
  ///
  /// Throws `UAFVerificationError`.
  func openUAF(
    _ text: String, _ challenge: String, _ party: UAFRelyingParty
  ) async throws -> (response: UAFReceivedResponse, pending: UAFPendingRequest) {
    let response = try UAFReceivedResponse(message: text)
    let pending = try await services.uaf.open(response, context: uafContext, party)
    guard pending.challenge == challenge else {
      throw UAFVerificationError(.challengeMismatch, "the response is one to another step")
    }
    return (response, pending)
  }

  /// Notes what the client reports in place of a response, and where that leads.
  mutating func uafClientError(_ code: Int, _ result: String) -> NodeOutcome {
    state.shared[UAFState.clientError] = .string("\(code)::\(result)")
    return UAFClientAnswer.outcome(of: result)
  }
}
