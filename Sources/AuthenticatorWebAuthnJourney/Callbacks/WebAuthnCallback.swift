import AuthenticatorCore
import AuthenticatorJourney

/// What the registration and the authentication callback share: a configuration, and an outcome for the node's hidden
/// field.
///
/// Recognized by content among metadata callbacks (`CallbackRegistry.registerWebAuthn(_:)`), and among scripts, which
/// servers send when a node's option "Return challenge as JavaScript" is on.
public class WebAuthnCallback: MetadataCallback {
  /// With what the ceremony works. The registry's, unless the app sets another.
  public final var configuration: WebAuthnJourneyConfiguration?

  /// What became of the last ceremony, ready for the hidden field: a success or the word for its error. Nil: there was
  /// none, or it leaves the field alone.
  ///
  /// Whoever gave no node to the ceremony puts it into `ContinueNode.webAuthnOutcome`.
  public final private(set) var outcome: WebAuthnOutcome?

  private var isRunning = false
  private var isDone = false

  /// Scripts are not sent back.
  public final override var isEchoed: Bool { type == MetadataCallback.wireType }

  /// Whether a server that sent this can be answered without the node's script option being changed.
  public final var isScript: Bool { type != MetadataCallback.wireType }

  /// Runs a ceremony once, and writes its outcome.
  ///
  /// - Parameter keepsFieldWhenWithdrawn: whether the field is left alone when the app withdraws the request, because
  ///   it goes on another way.
  func run<Response>(
    in node: ContinueNode?, keepsFieldWhenWithdrawn: Bool = false,
    _ ceremony: () async throws -> (Response, WebAuthnOutcome)
  ) async throws -> Response {
    guard !isRunning else { throw AuthenticatorError(.busy, stage: "webauthn") }
    guard !isDone else {
      throw AuthenticatorError(.invalidRequest, stage: "webauthn", reason: "the callback is answered")
    }
    isRunning = true
    defer { isRunning = false }
    outcome = nil
    let field = node?.webAuthnField
    do {
      if let node, field == nil || !node.callbacks.contains(where: { $0 === self }) {
        throw AuthenticatorError(
          .invalidMessage, stage: "webauthn", reason: "the node lacks this callback or the field for its outcome")
      }
      let (response, outcome) = try await ceremony()
      self.outcome = outcome
      field?.value = outcome.rawValue
      isDone = true
      return response
    } catch {
      let error = AuthenticatorError(webAuthn: error)
      if error.code == .appCanceled, keepsFieldWhenWithdrawn { throw error }
      let outcome = WebAuthnOutcome(error)
      self.outcome = outcome
      field?.value = outcome.rawValue
      throw error
    }
  }
}
