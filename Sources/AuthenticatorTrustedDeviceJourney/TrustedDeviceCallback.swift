import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourney
import AuthenticatorTrustedDevice
import DeviceAuthenticators

/// What the two trusted-device callbacks share: a challenge, a configuration, and an answer for the node's hidden
/// field.
///
/// Recognized by content among metadata callbacks (`CallbackRegistry.registerTrustedDevices(_:)`).
public class TrustedDeviceCallback: MetadataCallback {
  static let kind = "TrustedDevice"

  /// With what the ceremony works. The registry's, unless the app sets another.
  public final var configuration: TrustedDeviceJourneyConfiguration?
  /// What is to be signed.
  public final let challenge: TrustedDeviceChallenge
  /// The server's text for the prompt.
  public final let reason: String
  /// The server's time limit, held to 1 second to an hour.
  public final let timeout: Duration

  /// What became of the last ceremony, ready for the hidden field: a proof or the word for an error. Nil: there was
  /// none.
  ///
  /// Whoever gave no node to the ceremony puts it into `ContinueNode.trustedDeviceOutcome`.
  public final private(set) var outcome: String?

  private var isRunning = false
  private var isDone = false

  /// The longest answer the server reads, in bytes.
  static let maximumOutcomeBytes = 8192

  /// Reads what both have.
  /// - Throws: `invalidMessage`, naming the first member that is missing or malformed.
  public required init(_ payload: CallbackPayload) throws {
    let data = payload.output("data")?.objectValue ?? JSONObject()
    guard let object = data["challenge"]?.objectValue else { throw Self.malformed("challenge") }
    challenge = try TrustedDeviceChallenge(object)
    guard let reason = data["reason"]?.stringValue else { throw Self.malformed("reason") }
    guard let seconds = data["timeout"]?.wholeNumberValue else { throw Self.malformed("timeout") }
    self.reason = String(reason.prefix(512))
    timeout = .seconds(min(max(seconds, 1), 3600))
    try super.init(payload)
  }

  static func malformed(_ member: String) -> AuthenticatorError {
    AuthenticatorError(
      .invalidMessage, stage: "journey.callback", reason: "\(member) of a trusted-device step is missing or malformed")
  }

  /// A member that names something.
  static func text(_ data: JSONObject, _ member: String) throws -> String {
    guard let text = data[member]?.stringValue, (1...2048).contains(text.utf8.count) else { throw malformed(member) }
    return text
  }

  // MARK: Running

  /// Runs a ceremony once, and writes its outcome.
  func run<Result>(
    in node: ContinueNode?, _ ceremony: (TrustedDeviceCeremony) async throws -> (Result, JSONObject)
  ) async throws -> Result {
    guard !isRunning else { throw AuthenticatorError(.busy, stage: "trustedDevice") }
    guard !isDone else {
      throw AuthenticatorError(.invalidRequest, stage: "trustedDevice", reason: "the callback is answered")
    }
    isRunning = true
    defer { isRunning = false }
    outcome = nil
    let field = node?.trustedDeviceField
    do {
      if let node, field == nil || !node.callbacks.contains(where: { $0 === self }) {
        throw AuthenticatorError(
          .invalidMessage, stage: "trustedDevice", reason: "the node lacks this callback or the field for its outcome")
      }
      let begun = try TrustedDeviceCeremony(self)
      // An app that knows journeys alone has no other start than this.
      await LocalCleanUp.run(begun.shelf)
      let (result, answer) = try await ceremony(begun)
      let text = answer.serializedString()
      outcome = text
      field?.value = text
      isDone = true
      return result
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "trustedDevice")
      let text = JSONObject([("error", .string(TrustedDeviceClientError(error.code).rawValue))]).serializedString()
      outcome = text
      field?.value = text
      throw error
    }
  }
}

/// What one run of a trusted-device callback has fixed from its first moment: with what, by whose clock, until when.
struct TrustedDeviceCeremony {
  let configuration: TrustedDeviceJourneyConfiguration
  let shelf: CredentialShelf
  let clock: ServerClock
  let appIdentifier: String
  let operation: OperationID
  let prompt: ChallengePrompt
  let reason: String
  /// How long the person has.
  let limit: Duration
  private let callback: TrustedDeviceCallback

  /// Decides what can be decided before a key is looked at and anything is shown.
  /// - Throws: `invalidRequest` without configuration, and for one of another server; `unsupported` without app
  ///   identifier; `challengeMismatch`, `challengeExpired`; `invalidMessage` for a challenge that this flow has
  ///   answered before.
  init(_ callback: TrustedDeviceCallback) throws {
    guard let configuration = callback.configuration else { throw Self.invalid("the callback has no configuration") }
    let journey = callback.payload.context
    let context = configuration.context
    guard context.instance == journey.journey.instance else {
      throw Self.invalid("the configuration's instance is not the journey's server")
    }
    guard let app = context.environment.appIdentifier, !app.isEmpty else {
      throw AuthenticatorError(.unsupported, stage: "trustedDevice", reason: "the environment has no app identifier")
    }
    // However far off: the server refuses a proof that comes too late by its own clock.
    clock = ServerClock(context.environment, offset: journey.clockOffset ?? .zero)
    // Here no challenge names its credential: the answer does.
    try callback.challenge.check(signer: nil, at: clock.now)
    self.configuration = configuration
    self.callback = callback
    appIdentifier = app
    operation = try OperationID(in: context.environment)
    limit = min(callback.timeout, configuration.promptTimeLimit)
    reason = configuration.reason ?? callback.reason
    prompt = ChallengePrompt(
      environment: context.environment, clock: clock, challenge: callback.challenge, reason: reason, limit: limit)
    shelf = CredentialShelf(
      context: context, scope: CredentialScope(instance: context.instance, party: app),
      authenticators: configuration.authenticators, emit: configuration.onEvent)
    guard callback.node?.hasAnswered(challenge: digest) != true else { throw Self.used }
  }

  /// The challenge's name in memory; the challenge itself is kept nowhere.
  private var digest: [UInt8] { SHA256.hash(Array(callback.challenge.clientData.utf8)) }

  /// Notes that the challenge is answered by a proof that leaves now.
  func spendChallenge() throws {
    guard callback.node?.answer(challenge: digest) != false else { throw Self.used }
  }

  private static var used: AuthenticatorError {
    AuthenticatorError(.challengeMismatch, stage: "trustedDevice", reason: "the challenge is used before")
  }

  private static func invalid(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "trustedDevice", reason: reason)
  }
}
