import AuthenticatorCoding
import AuthenticatorJourneyServer

/// Journeys with passkeys for the sign-in page: what the built-in ones leave out, and requests in the words of PingAM's
/// older versions, whose answers are shown as they came.
enum PasskeyJourneys {
  static func all(origin: PageOrigin) throws -> [JourneyTree] {
    try [
      register("RegisterES256", .es256), register("RegisterEdDSA", .edDSA), register("RegisterRS256", .rs256),
      unvouched(), attested("AttestedES256", .es256, origin), attested("AttestedEdDSA", .edDSA, origin),
      attested("AttestedRS256", .rs256, origin),
      attested("AttestedSecurityKey", .es256, origin, userVerification: "discouraged"),
      registerSecurityKey(), signInWithSecurityKey(), registerByScript(), signInByScript(), failing(), foreign(),
    ] + ProbeJourneys.all()
  }

  /// `mira` without a question: these journeys are about what follows.
  private static let mira = TreeStep("mira", NameNode(name: "mira"))

  private static func tree(
    _ name: String, _ node: some TreeNode, errors: TreeDestination = .failure
  ) throws -> JourneyTree {
    try JourneyTree(name) {
      mira.next("passkey")
      TreeStep("passkey", node).on(.success, to: .success).on("error", to: "told").otherwise(.failure)
      TreeStep("told", TellNode(names: ["WebAuthenticationDOMException"])).next(.failure)
    }
  }

  private static func attested(
    _ name: String, _ algorithm: WebAuthnAlgorithm, _ origin: PageOrigin, userVerification: String = "required"
  ) throws -> JourneyTree {
    let node = AttestedNode(algorithm: algorithm.rawValue, userVerification: userVerification, origin: origin)
    return try JourneyTree(name) {
      TreeStep("ask", node).next("told")
      TreeStep("told", TellNode(names: ["outcome"])).next(.failure)
    }
  }

  /// Nobody vouches for the statement of a virtual authenticator.
  private static func unvouched() throws -> JourneyTree {
    try tree("RegisterUnvouched", WebAuthnRegistrationNode { $0.attestation = .direct })
  }

  /// One kind of key.
  private static func register(_ name: String, _ algorithm: WebAuthnAlgorithm) throws -> JourneyTree {
    try tree(
      name,
      WebAuthnRegistrationNode {
        $0.algorithms = [algorithm]
        $0.userVerification = .required
        $0.residentKey = .required
        $0.generatesRecoveryCodes = false
      })
  }

  /// What a key of the oldest kind can do: presence, and nothing that stays on it.
  private static func registerSecurityKey() throws -> JourneyTree {
    try tree(
      "RegisterSecurityKey",
      WebAuthnRegistrationNode {
        $0.userVerification = .discouraged
        $0.residentKey = .discouraged
        $0.attachment = .crossPlatform
        $0.generatesRecoveryCodes = false
      })
  }

  private static func signInWithSecurityKey() throws -> JourneyTree {
    try tree("LoginSecurityKey", WebAuthnAuthenticationNode { $0.userVerification = .discouraged })
  }

  private static func registerByScript() throws -> JourneyTree {
    try tree(
      "RegisterScript",
      WebAuthnRegistrationNode {
        $0.relyingPartyName = #"Kit } "of" id: "x" </script>"#
        $0.residentKey = .required
        $0.userVerification = .required
        $0.excludesCredentials = true
        $0.asScript = true
      })
  }

  private static func signInByScript() throws -> JourneyTree {
    try tree(
      "LoginScript",
      WebAuthnAuthenticationNode {
        $0.userVerification = .required
        $0.asScript = true
      })
  }

  private static func failing() throws -> JourneyTree {
    try tree(
      "RegisterExcluded",
      WebAuthnRegistrationNode {
        $0.userVerification = .required
        $0.excludesCredentials = true
      })
  }

  private static func foreign() throws -> JourneyTree {
    try tree("RegisterForeign", WebAuthnRegistrationNode { $0.relyingPartyID = "example.com" })
  }
}

/// Names the user.
struct NameNode: TreeNode {
  static let nodeType = "NameNode"
  let outcomes: [NodeOutcome] = [.outcome]
  let name: String

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    context.state.username = name
    return .done(.outcome)
  }
}

/// Shows values of the shared state.
struct TellNode: TreeNode {
  static let nodeType = "TellNode"
  let outcomes: [NodeOutcome] = [.outcome]
  let names: [String]

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.answers == nil else { return .done(.outcome) }
    return .ask(names.map { .textOutput("told \(context.state.shared[$0]?.stringValue ?? "nothing")") })
  }
}

/// Shows a text.
struct SayNode: TreeNode {
  static let nodeType = "SayNode"
  let outcomes: [NodeOutcome] = [.outcome]
  let text: String

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    context.answers == nil ? .ask([.textOutput(text)]) : .done(.outcome)
  }
}
