import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorUAF

/// Asks the device to answer a UAF message: to register, to sign in, to confirm a transaction or to forget keys.
///
/// Call `process`, then `ContinueNode.next()`, whether it succeeded or threw: with the node given, the answer is in the
/// node's hidden field, a response or `ERROR::<code>::<RESULT>`. A new key is taken into use inside `next()` when the
/// journey ends with a session; otherwise it stays staged until the server names it.
public final class UAFCallback: MetadataCallback {
  static let kind = "UAF"
  static let fieldID = "uafOutcome"

  /// What the message asks for.
  public let operation: UAFOperation
  /// The message.
  public let request: UAFMessage
  /// The server's time limit, held to 1 second to an hour; the longest when the server sets none. The client's own
  /// limit holds besides.
  public let timeout: Duration
  /// With what it works. The registry's, unless the app sets another.
  public var configuration: UAFJourneyConfiguration?

  /// What became of the last try, ready for the hidden field; nil: there was none. Whoever gave no node puts it into
  /// `ContinueNode.uafOutcome`.
  public private(set) var outcome: String?

  /// What is wrong with the step; the server is told as the answer.
  private let fault: AuthenticatorError?
  private var isRunning = false
  private var pending: (response: UAFMessage, configuration: UAFJourneyConfiguration)?

  static func operation(of data: JSONObject) -> UAFOperation? {
    switch data["_action"]?.stringValue {
    case "uaf_registration": .registration
    case "uaf_authentication": .authentication
    case "uaf_deregistration": .deregistration
    default: nil
    }
  }

  /// Reads the step. One whose message or time limit is missing or malformed is answered as such by `process`.
  /// - Throws: `invalidMessage` for an action that is unknown.
  public required init(_ payload: CallbackPayload) throws {
    let data = payload.output("data")?.objectValue ?? JSONObject()
    guard let operation = Self.operation(of: data) else { throw Self.malformed("_action") }
    let text = data["uafRequest"]?.stringValue ?? ""
    // No limit is none of the server's, and some servers write numbers as text: neither is worth a sign-in.
    let limit = data["timeout"] ?? .null
    let isLimit = limit.isNull || limit.wholeNumberValue != nil || limit.stringValue.flatMap({ Int($0) }) != nil
    fault = text.isEmpty ? Self.malformed("uafRequest") : isLimit ? nil : Self.malformed("timeout")
    let milliseconds = limit.wholeNumberValue ?? limit.stringValue.flatMap { Int($0) } ?? 3_600_000
    self.operation = operation
    request = UAFMessage(text)
    timeout = .milliseconds(min(max(milliseconds, 1000), 3_600_000))
    try super.init(payload)
  }

  private static func malformed(_ member: String) -> AuthenticatorError {
    AuthenticatorError(
      .invalidMessage, stage: "journey.callback", reason: "\(member) of a UAF step is missing or malformed")
  }

  // MARK: Running

  /// Processes the message; asks the person as the chosen authenticator does.
  ///
  /// After it threw it may be called again, until the node is sent.
  /// - Parameters:
  ///   - node: the node of this callback: then the answer is written into its hidden field, for success and failure
  ///     alike.
  ///   - extras: what the app passes along; nil: the configuration's.
  /// - Throws: `AuthenticatorError`; its code decided the words that the server gets. `busy` while it runs already and
  ///   `invalidRequest` when the callback is answered: these change no answer.
  public func process(node: ContinueNode? = nil, extras: UAFExtras? = nil) async throws {
    guard !isRunning else { throw AuthenticatorError(.busy, stage: "uaf.journey") }
    guard pending == nil else {
      throw AuthenticatorError(.invalidRequest, stage: "uaf.journey", reason: "the callback is answered")
    }
    isRunning = true
    defer { isRunning = false }
    do {
      let configuration = try checked(node)
      let response = try await configuration.client.limited(to: timeout).process(
        request, facetID: configuration.facetID, channelBinding: configuration.channelBinding,
        extras: extras ?? configuration.extras)
      pending = (response, configuration)
      write(operation == .deregistration ? "{}" : response.uafProtocolMessage, node)
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "uaf.journey")
      let code = UAFErrorCode(error.code, answering: request)
      write("ERROR::\(code.rawValue)::\(UAFOutcome(error.code).rawValue)", node)
      throw error
    }
  }

  /// `process` with a configuration for this callback.
  public func process(
    _ configuration: UAFJourneyConfiguration, node: ContinueNode? = nil, extras: UAFExtras? = nil
  ) async throws {
    self.configuration = configuration
    try await process(node: node, extras: extras)
  }

  private func checked(_ node: ContinueNode?) throws -> UAFJourneyConfiguration {
    guard let configuration else { throw Self.invalid("the callback has no configuration") }
    guard configuration.client.configuration.context.instance == payload.context.journey.instance else {
      throw Self.invalid("the client's instance is not the journey's server")
    }
    if let node, node.uafField == nil || !node.callbacks.contains(where: { $0 === self }) {
      throw AuthenticatorError(
        .invalidMessage, stage: "uaf.journey", reason: "the node lacks this callback or the field for its outcome")
    }
    guard node?.callbacks(UAFCallback.self).count ?? 1 == 1 else {
      throw AuthenticatorError(
        .invalidMessage, stage: "uaf.journey", reason: "the node has several UAF steps and one field for an outcome")
    }
    if let fault { throw fault }
    // A message of another kind than the step says is not what the person was led to.
    guard try UAFRequest(request.uafProtocolMessage).header.op == operation else {
      throw AuthenticatorError(.invalidMessage, stage: "uaf.journey", reason: "the message is of another operation")
    }
    return configuration
  }

  private func write(_ text: String, _ node: ContinueNode?) {
    outcome = text
    node?.uafField?.value = text
  }

  private static func invalid(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "uaf.journey", reason: reason)
  }

  // MARK: The server's verdict

  /// A response awaits it.
  public override var awaitsOutcome: Bool { pending != nil }

  /// Takes a new key into use when the journey ends with a session. Nothing else says what became of it: a tree may ask
  /// for something else after a refusal, and fail after a registration. Such a key stays until its server names it.
  /// - Throws: `storageFailed` when the accepted key could not be taken into use.
  public override func stepEnded(_ outcome: StepOutcome) async throws {
    guard let (response, configuration) = pending else { return }
    pending = nil
    guard case .accepted(.success(let session)) = outcome, session.hasToken else { return }
    try await configuration.client.notify(status: .ok, of: response, facetID: configuration.facetID)
  }
}

extension ContinueNode {
  /// The answer to a UAF step: the text in its hidden field. Setting it answers the field; nil takes the answer back.
  public var uafOutcome: String? {
    get { uafField?.value }
    set { uafField?.value = newValue }
  }

  var uafField: HiddenValueCallback? { hiddenValue(id: UAFCallback.fieldID) }
}

extension CallbackRegistry {
  /// Adds the UAF callback, which is recognized by content. Metadata of any other kind, and actions that this package
  /// does not know, stay what they are.
  /// - Parameter configuration: with what the callbacks work; nil: the app gives it to each of them.
  public mutating func registerUAF(_ configuration: UAFJourneyConfiguration? = nil) {
    specialize(MetadataCallback.wireType) { payload in
      let data = payload.output("data")?.objectValue ?? JSONObject()
      guard data["_type"]?.stringValue == UAFCallback.kind, UAFCallback.operation(of: data) != nil else { return nil }
      let callback = try UAFCallback(payload)
      callback.configuration = configuration
      return callback
    }
  }

  /// A copy with the UAF callback.
  public func registeringUAF(_ configuration: UAFJourneyConfiguration? = nil) -> CallbackRegistry {
    var copy = self
    copy.registerUAF(configuration)
    return copy
  }
}
