import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorUAF
import AuthenticatorUAFJourney

/// What the command line says about UAF steps of a journey: which models this device has, who calls, which button.
struct UAFLoginOptions: Sendable {
  static let options = [
    Option("--authenticators", .value("FILE"), "the UAF models of this device, as for 'uaf process'", readsInput: true),
    Option("--facet", .value("ID"), "who calls in UAF steps (default linux:exe: and --app-id)"),
    Option("--fallback-title", .value("TEXT"), "a button in biometric UAF prompts that ends them as FALLBACK"),
  ]

  private let models: [UAFAuthenticatorModel]
  private let modelsPath: String?
  private let facet: String?
  private let extras: UAFExtras

  init(_ arguments: Arguments) throws {
    modelsPath = try arguments.text("--authenticators")
    models = try modelsPath.map(AuthenticatorsFile.models) ?? AuthenticatorsFile.standard
    facet = try arguments.text("--facet").map(UAFOptions.caller)
    extras = UAFExtras(try arguments.text("--fallback-title").map { [.fallback(title: $0)] } ?? [])
  }

  /// With what UAF steps are answered; what an interrupted run left is settled first.
  /// - Parameter user: the only one whose key signs; nil: whoever the person chooses.
  func configuration(
    _ device: Device, over store: any KeyStore, instance: String, certificateFile: String?, user: String?,
    timeout: Duration?
  ) async throws -> UAFJourneyConfiguration {
    let client = try device.uafClient(
      models, of: modelsPath, over: store, instance: instance, certificateFile: certificateFile,
      responder: user.map { NamedAccount(user: $0, person: device.person.responder) }, timeout: timeout)
    try await client.recover()
    return UAFJourneyConfiguration(client: client, facetID: facet, extras: extras)
  }
}

/// Chooses the account that the command line names; everything else the person answers.
private struct NamedAccount: PromptResponder {
  let user: String
  let person: any PromptResponder

  func choose(_ question: ChoiceQuestion) async throws -> String {
    guard question.kind == .choose else { return try await person.choose(question) }
    // By bytes, as keys are looked up: names that look alike are two.
    guard question.options.contains(where: { $0.isIdentical(to: user) }) else {
      throw AuthenticatorError(.keyNotFound, stage: "select", reason: "no key of this user")
    }
    return user
  }

  func approve(_ question: ApprovalQuestion) async throws -> Bool { try await person.approve(question) }
}
