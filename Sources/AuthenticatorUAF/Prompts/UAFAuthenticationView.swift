import AuthenticatorCore
import DeviceAuthenticators

/// An authentication whose prompts the app draws itself: a state machine that tells what to show, and takes what the
/// person did. It ends as the direct call does, `FALLBACK` included.
///
/// ```swift
/// let view = client.authenticationView(message, facetID: facet, extras: extras)
/// for await state in view.states {
///   switch state {
///   case .biometric(let prompt): show(prompt)          // buttons: scan(), chooseFallback(), cancel()
///   case .scanning: showScan()
///   case .approval(let content, let prompt): show(content, prompt)     // view.approve(_:)
///   case .choice(let options, let prompt): show(options, prompt)       // view.choose(_:)
///   case .finished(let result): return result
///   }
/// }
/// ```
public final class UAFAuthenticationView: Sendable {
  /// What is to be shown.
  public enum State: Sendable {
    /// A biometric prompt that waits for the person to begin; has a fallback button when `prompt.fallbackTitle` is set.
    case biometric(BiometricPrompt)
    /// The sensor or the device's own passcode entry is at work.
    case scanning
    /// Content to be agreed to.
    case approval(UAFTransaction.Content, Prompt)
    /// A choice among users or authenticators.
    case choice([String], Prompt)
    /// The end.
    case finished(UAFResult)

    /// The code of the application API: `waitUserAction` until the end, then the result's.
    public var errorCode: UAFErrorCode {
      if case .finished(let result) = self { result.errorCode } else { .waitUserAction }
    }
  }

  /// What a biometric prompt shows.
  public struct BiometricPrompt: Hashable, Sendable {
    /// Texts and buttons.
    public var prompt: Prompt
    /// Whether the scan before this one, in this operation, was canceled or did not match.
    public var isRetry: Bool
  }

  /// The states in order; ends after `finished`. For one reader.
  public let states: AsyncStream<State>
  private let desk: PromptDesk
  private let task: Task<UAFResult, Never>

  init(_ client: UAFClient, run: @escaping @Sendable (UAFClient) async -> UAFResult) {
    let (states, continuation) = AsyncStream.makeStream(of: State.self)
    self.states = states
    let desk = PromptDesk(continuation)
    self.desk = desk
    var configuration = client.configuration
    configuration.context.verifier = DrawnVerifier(verifier: configuration.context.verifier, desk: desk)
    configuration.responder = DrawnResponder(desk: desk)
    configuration.display = DrawnDisplay(
      desk: desk,
      displaysImages: configuration.viewDisplaysImages || client.configuration.display?.displaysImages ?? false)
    let drawn = UAFClient(checked: configuration, facets: client.facets)
    task = Task {
      let result = await run(drawn)
      desk.finish(result)
      return result
    }
  }

  deinit { task.cancel() }

  /// How it ended; waits for the end.
  public var result: UAFResult { get async { await task.value } }

  /// Begins the scan of a biometric prompt.
  public func scan() { desk.answer(.scan) }
  /// Presses the fallback button; does nothing where there is none.
  public func chooseFallback() { desk.answer(.fallback) }
  /// Presses cancel, in whatever is shown.
  public func cancel() { desk.answer(.cancel) }
  /// Answers an approval.
  public func approve(_ isApproved: Bool) { desk.answer(.approve(isApproved)) }
  /// Answers a choice, by the option's text.
  public func choose(_ option: String) { desk.answer(.choose(option)) }
}

extension UAFClient {
  /// An authentication or transaction confirmation whose prompts the app draws itself. It begins at once.
  public func authenticationView(
    _ message: UAFMessage, facetID: String, channelBinding: ChannelBinding = ChannelBinding(),
    extras: UAFExtras = UAFExtras()
  ) -> UAFAuthenticationView {
    UAFAuthenticationView(self) { client in
      await client.authenticate(message, facetID: facetID, channelBinding: channelBinding, extras: extras)
    }
  }

  /// A client that gives its operations less time, and remembers the same lists of facets.
  package func limited(to timeout: Duration) -> UAFClient {
    var limited = configuration
    limited.timeout = min(configuration.timeout, timeout)
    return UAFClient(checked: limited, facets: facets)
  }
}
