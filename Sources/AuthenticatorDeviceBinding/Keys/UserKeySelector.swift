import AuthenticatorCore

/// Lets the person choose whose key signs, when the server names no user and the device has keys of several.
public protocol UserKeySelector: Sendable {
  /// Asked with at least two keys, sorted by user name and age.
  /// - Returns: one of `keys`; nil when the person chose none, which answers `Abort`.
  func selectKey(among keys: [UserKey]) async throws -> UserKey?
}

/// Asks with the keys' labels, through whatever asks the person.
public struct PromptingKeySelector: UserKeySelector {
  private let responder: any PromptResponder
  private let prompt: Prompt
  private let environment: AuthenticatorEnvironment
  private let timeout: Duration

  /// Asks through `responder`.
  /// - Parameter timeout: how long the person may take.
  public init(
    _ responder: any PromptResponder, prompt: Prompt, environment: AuthenticatorEnvironment,
    timeout: Duration = .seconds(60)
  ) {
    self.responder = responder
    self.prompt = prompt
    self.environment = environment
    self.timeout = timeout
  }

  public func selectKey(among keys: [UserKey]) async throws -> UserKey? {
    var labels: [String] = []
    for key in keys {
      let label = key.label
      var unique = label
      var number = 2
      while labels.contains(unique) {
        unique = "\(label) (\(number))"
        number += 1
      }
      labels.append(unique)
    }
    let choice = try await responder.choose(
      ChoiceQuestion(options: labels, prompt: prompt, deadline: environment.uptime() + timeout))
    return labels.firstIndex(of: choice).map { keys[$0] }
  }
}
