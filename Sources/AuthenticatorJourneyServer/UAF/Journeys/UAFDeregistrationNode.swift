internal import AuthenticatorCoding
internal import AuthenticatorRelyingParty

/// Removes the UAF keys of the user named so far: here at once, so that they sign nobody in any more, then on the
/// device, whose client is told to delete them. Belongs behind whatever proved that the user is the user.
///
/// Outcomes: `success`, whatever the client made of it (an error stands under `uafClientError`); `noRegistration` when
/// there was no key; `failure` without a user.
public struct UAFDeregistrationNode: TreeNode {
  public static let nodeType = "UAFDeregistrationNode"
  public let outcomes: [NodeOutcome] = [.success, .failure, UAFAuthenticationNode.noRegistration]
  /// The time the client has, in seconds.
  public var timeout: Int

  public var unusableSetting: String? { timeout < 1 ? "timeout" : nil }

  /// Makes the node.
  public init(timeout: Int = 120) { self.timeout = timeout }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    if context.answers != nil, context.endUAF() != nil {
      if case .error(let code, let result) = context.uafAnswer { _ = context.uafClientError(code, result) }
      return .done(.success)
    }
    guard let user = try await context.user() else { return .done(.failure) }
    let removed = try await context.services.registry.removeUAFKeys(nil, ofUser: user.id, realm: user.realm)
    guard !removed.isEmpty else { return .done(UAFAuthenticationNode.noRegistration) }
    let message = try context.uafParty(nil).deregistrationRequest(for: removed.map(\.registration))
    context.memory = ["challenge": ""]
    return NodeContext.uafPage("uaf_deregistration", message, milliseconds: Int64(timeout) * 1000)
  }
}
