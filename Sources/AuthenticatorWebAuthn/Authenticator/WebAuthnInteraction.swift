public import AuthenticatorCore

/// What the app shows of a ceremony.
public struct CeremonyDescription: Hashable, Sendable {
  /// What is about to happen.
  public enum Kind: String, Hashable, Sendable {
    /// A credential is to be made.
    case create
    /// A credential is to be made and one is there already; agreeing ends in `credentialExcluded`.
    case excluded
    /// Somebody signs in.
    case get
    /// Somebody signs in and there is no credential; agreeing ends in `keyNotFound`.
    case absent
    /// A CTAP2 client asks for a touch, or for the authenticator to be reset.
    case touch
  }

  /// What is about to happen.
  public var kind: Kind
  /// A domain; what a decision should rest on.
  public var relyingPartyID: String
  /// The relying party's own word for itself, without control characters; may be empty.
  public var relyingPartyName: String
  /// Without control characters; may be empty.
  public var userName: String
  /// Without control characters; may be empty.
  public var userDisplayName: String
  /// When the credential that is to be made will say that it was made, so that it can be named before; nil for any
  /// other kind.
  public var createdAt: UnixTime?

  /// Takes names as a relying party gave them and makes them fit to be shown.
  public init(
    kind: Kind, relyingPartyID: String, relyingPartyName: String = "", userName: String = "",
    userDisplayName: String = ""
  ) {
    self.kind = kind
    self.relyingPartyID = relyingPartyID
    self.relyingPartyName = DisplayText.shown(relyingPartyName)
    self.userName = DisplayText.shown(userName)
    self.userDisplayName = DisplayText.shown(userDisplayName)
  }

  init(_ kind: Kind, _ source: PublicKeyCredentialSource) {
    self.init(
      kind: kind, relyingPartyID: source.relyingPartyID, relyingPartyName: source.relyingPartyName,
      userName: source.userName, userDisplayName: source.userDisplayName)
  }

  /// The prompt in English, with the relying party and the account as labelled lines.
  public var standardPrompt: Prompt {
    let reason =
      switch kind {
      case .create: "Create a passkey"
      case .excluded: "A passkey for this account is on this device already"
      case .get: "Sign in with your passkey"
      case .absent: "There is no passkey for this site on this device"
      case .touch: "Confirm that you are there"
      }
    var lines = [Prompt.Line(label: "Site", text: relyingPartyID)]
    if !relyingPartyName.isEmpty { lines.append(Prompt.Line(label: "Name", text: relyingPartyName)) }
    let account = userDisplayName.isEmpty || userDisplayName == userName ? userName : "\(userDisplayName) (\(userName))"
    if !account.isEmpty { lines.append(Prompt.Line(label: "Account", text: account)) }
    return Prompt(reason: reason, lines: relyingPartyID.isEmpty ? [] : lines)
  }
}

/// Where a ceremony asks for agreement besides verifying the person. An app conforms to show its own dialog.
///
/// Called on the caller's actor. An answer after the ceremony's end is dropped.
public protocol CredentialConsentDelegate {
  /// Whether the person agrees. False and a thrown error both end the ceremony, the former as `userCanceled`.
  func consent(to ceremony: CeremonyDescription, deadline: Duration) async throws -> Bool
}

/// Where a person chooses among credentials. An app conforms to show its own list.
///
/// Called on the caller's actor, with two candidates or more; in conditional mediation with any number. An answer after
/// the ceremony's end is dropped.
public protocol CredentialSelectionDelegate {
  /// The name of one of the candidates; nil or any other name ends the ceremony as `userCanceled`.
  func selectCredential(
    among candidates: [PublicKeyCredentialSource], deadline: Duration
  ) async throws -> CredentialID?
}

/// Asks a `PromptResponder`: agreement as a yes or no, a choice by the candidates' display names.
public struct PromptedInteraction: CredentialConsentDelegate, CredentialSelectionDelegate, Sendable {
  private let responder: any PromptResponder
  private let makePrompt: @Sendable (CeremonyDescription) -> Prompt

  /// Asks through `responder`, with prompts in English unless others are made.
  public init(
    responder: any PromptResponder,
    makePrompt: @escaping @Sendable (CeremonyDescription) -> Prompt = { $0.standardPrompt }
  ) {
    self.responder = responder
    self.makePrompt = makePrompt
  }

  public func consent(to ceremony: CeremonyDescription, deadline: Duration) async throws -> Bool {
    let prompt = makePrompt(ceremony)
    let content = prompt.lines.map { "\($0.label): \($0.text)" }.joined(separator: "\n")
    return try await responder.approve(
      ApprovalQuestion(kind: .consent, content: content, prompt: prompt, deadline: deadline))
  }

  public func selectCredential(
    among candidates: [PublicKeyCredentialSource], deadline: Duration
  ) async throws -> CredentialID? {
    guard let first = candidates.first else { return nil }
    let names = CredentialNames(candidates)
    let question = ChoiceQuestion(
      options: names.all, prompt: makePrompt(CeremonyDescription(kind: .get, relyingPartyID: first.relyingPartyID)),
      deadline: deadline)
    do { return names.id(of: try await responder.choose(question)) } catch let error as AuthenticatorError
      where error.code == .invalidRequest
    {
      // An answer that was none of the names, which a responder need not hand on.
      return nil
    }
  }
}
