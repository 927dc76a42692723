import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import AuthenticatorKit
import AuthenticatorTrustedDeviceJourney
import AuthenticatorUAF
import AuthenticatorUAFJourney
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney

/// Answers for the device: binds, signs, registers and authenticates where a page asks for it, and remembers what
/// became of it.
final class Ceremonies {
  private(set) var answers: [LoginOutcome.Ceremony] = []
  private let openBinding: () async throws -> DeviceBindingConfiguration
  private let openWebAuthn: () async throws -> WebAuthnJourneyConfiguration
  private let openTrustedDevices: () async throws -> TrustedDeviceJourneyConfiguration
  private let openUAF: () async throws -> UAFJourneyConfiguration
  private var opened: DeviceBindingConfiguration?
  private let realm: JourneyRealm
  private let user: String?
  private let credential: CredentialID?
  private let console: Console

  /// - Parameters:
  ///   - binding: called when the device is first asked for a proof.
  ///   - webAuthn: called when the device is asked for a credential.
  ///   - trustedDevices: called when the device is to enroll, or to sign in, as a trusted one.
  ///   - uaf: called when the device is to answer a UAF message.
  ///   - user: the id or name of the only user who may sign; nil: whoever the server or the person names.
  ///   - credential: the only WebAuthn credential that may sign in; nil: whichever the person chooses.
  init(
    binding: @escaping () async throws -> DeviceBindingConfiguration,
    webAuthn: @escaping () async throws -> WebAuthnJourneyConfiguration,
    trustedDevices: @escaping () async throws -> TrustedDeviceJourneyConfiguration,
    uaf: @escaping () async throws -> UAFJourneyConfiguration, realm: JourneyRealm, user: String?,
    credential: CredentialID?, console: Console
  ) {
    openBinding = binding
    openWebAuthn = webAuthn
    openTrustedDevices = trustedDevices
    openUAF = uaf
    self.realm = realm
    self.user = user
    self.credential = credential
    self.console = console
  }

  /// Answers the callbacks of a page that want a key or a proof. A failure is an answer too: the callback then tells
  /// the server why.
  func perform(_ page: ContinueNode) async throws {
    for callback in page.callbacks {
      switch callback {
      case let callback as DeviceBindingCallback:
        let binding = try await binding()
        let failure = await Self.failure { try await callback.bind(binding) }
        record(callback.type, failure, clientError: callback.clientError)
      case let callback as DeviceSigningVerifierCallback:
        let binding = try await binding()
        if try await isOfAnotherUser(callback, binding.context) {
          callback.clientError = ClientError.clientNotRegistered.rawValue
          record(callback.type, AuthenticatorError(.keyNotFound), clientError: callback.clientError)
          continue
        }
        let failure = await Self.failure { try await callback.sign(binding) }
        record(callback.type, failure, clientError: callback.clientError)
      case let callback as WebAuthnCallback: try await perform(callback, page)
      case let callback as TrustedDeviceCallback: try await perform(callback, page)
      case let callback as UAFCallback: try await perform(callback, page)
      default: continue
      }
    }
  }

  /// The outcome goes into the page's hidden field, unless the command line has put something there or pressed the
  /// page's button (a recovery code instead of a credential).
  private func perform(_ callback: WebAuthnCallback, _ page: ContinueNode) async throws {
    guard page.webAuthnOutcome == nil, page.callback(ConfirmationCallback.self)?.selectedIndex == nil else { return }
    let configuration = try await openWebAuthn()
    let failure: AuthenticatorError?
    switch callback {
    case let callback as WebAuthnRegistrationCallback:
      failure = await Self.failure { try await callback.register(configuration, node: page) }
      record("WebAuthnRegistrationCallback", failure, clientError: failure.flatMap { _ in callback.outcome?.rawValue })
    case let callback as WebAuthnAuthenticationCallback:
      callback.credential = credential
      // Suggestions wait, without a limit, in a field of a form. Who runs `login` has decided to sign in.
      if callback.mediation == .conditional { callback.mediation = .optional }
      failure = await Self.failure { try await callback.authenticate(configuration, node: page) }
      record(
        "WebAuthnAuthenticationCallback", failure, clientError: failure.flatMap { _ in callback.outcome?.rawValue })
    default: return
    }
  }

  /// The answer goes into the page's hidden field, unless the command line has put something there.
  private func perform(_ callback: TrustedDeviceCallback, _ page: ContinueNode) async throws {
    guard page.trustedDeviceOutcome?.isEmpty ?? true else { return }
    let configuration = try await openTrustedDevices()
    let failure: AuthenticatorError?
    let name: String
    switch callback {
    case let callback as TrustedDeviceEnrollCallback:
      name = "TrustedDeviceEnrollCallback"
      failure = await Self.failure { try await callback.enroll(configuration, node: page, identifierHint: user) }
    case let callback as TrustedDeviceSignInCallback:
      name = "TrustedDeviceSignInCallback"
      failure = await Self.failure { try await callback.signIn(configuration, node: page, identifierHint: user) }
    default: return
    }
    record(name, failure, clientError: failure.map { TrustedDeviceClientError($0.code).rawValue })
  }

  /// The answer goes into the page's hidden field, unless the command line has put something there.
  private func perform(_ callback: UAFCallback, _ page: ContinueNode) async throws {
    guard page.uafOutcome?.isEmpty ?? true else { return }
    let configuration = try await openUAF()
    if callback.operation == .authentication, try await hasNoKey(configuration) {
      let code = AuthenticatorError.Code.keyNotFound
      page.uafOutcome = "ERROR::\(UAFErrorCode(code).rawValue)::\(UAFOutcome(code).rawValue)"
      record("UAFCallback", AuthenticatorError(code), clientError: page.uafOutcome)
      return
    }
    let failure = await Self.failure { try await callback.process(configuration, node: page) }
    record(
      "UAFCallback", failure, clientError: failure.flatMap { _ in callback.outcome },
      done: callback.operation == .deregistration ? LoginOutcome.Ceremony.removed : LoginOutcome.Ceremony.signed)
  }

  /// Whether `--user` names somebody of whom there is no UAF key here.
  private func hasNoKey(_ configuration: UAFJourneyConfiguration) async throws -> Bool {
    guard let user else { return false }
    let context = configuration.client.configuration.context
    let records = try await context.keyStore.records(
      matching: KeyQuery(instance: context.instance, family: .uaf, states: [.active, .staged]))
    return !records.contains { $0.owner.account == Array(user.utf8) }
  }

  private func binding() async throws -> DeviceBindingConfiguration {
    if let opened { return opened }
    let binding = try await openBinding()
    opened = binding
    return binding
  }

  private static func failure<Value>(_ body: () async throws -> Value) async -> AuthenticatorError? {
    do {
      _ = try await body()
      return nil
    } catch {
      return AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "device")
    }
  }

  private func record(
    _ callback: String, _ failure: AuthenticatorError?, clientError: String?,
    done: String = LoginOutcome.Ceremony.signed
  ) {
    let result = failure?.code.rawValue ?? done
    console.trace("\(callback): \(result)")
    answers.append(
      .init(
        callback: callback, result: result, clientError: clientError,
        attemptsRemaining: failure?.attemptsRemaining, retryAfter: failure?.retryAfter))
  }

  /// Whether `--user` names somebody who has no key here that could answer.
  private func isOfAnotherUser(
    _ callback: DeviceSigningVerifierCallback, _ context: AuthenticatorContext
  ) async throws -> Bool {
    guard let user else { return false }
    let keys = try await UserKeys(context: context, realm: realm.description).active(ofUser: callback.userID)
    return !keys.contains { Self.matches($0, user) }
  }

  static func matches(_ key: UserKey, _ user: String) -> Bool {
    // By bytes, as keys are looked up: names that look alike are two.
    [key.userID, key.userName].contains { $0.isIdentical(to: user) }
  }
}

/// Chooses the user that the command line names.
struct NamedUserSelector: UserKeySelector {
  let user: String

  func selectKey(among keys: [UserKey]) async throws -> UserKey? {
    let named = keys.filter { Ceremonies.matches($0, user) }
    guard named.count == 1 else {
      throw AuthenticatorError(
        .keyNotFound, stage: "select", reason: named.isEmpty ? "no key of this user" : "several keys of this user")
    }
    return named[0]
  }
}
