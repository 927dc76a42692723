import AuthenticatorCore
import AuthenticatorLinux
import AuthenticatorTestSupport
import DeviceAuthenticators
import Glibc

/// Who is in front of the device, as the tool sees them: something that verifies, something that collects PINs,
/// something that answers questions, and a record of the prompts.
struct Person: Sendable {
  let verifier: any UserVerifier
  let collector: any PINCollector
  let responder: any PromptResponder
  /// Verifications that the app made itself; only a scripted device has them.
  let contextDelegate: (any BiometricContextDelegate)?
  /// With the clock that the device fixes.
  let environment: AuthenticatorEnvironment
  /// Every prompt so far.
  let prompts: @Sendable () -> [LoginOutcome.Prompt]

  /// - Throws: an unusable-input failure for a scripted device that cannot be read.
  static func inFront(of options: DeviceOptions, environment: AuthenticatorEnvironment) throws -> Person {
    guard case .scripted(let path) = options.source else { return atTerminal(options, environment: environment) }
    do {
      let device = try described(path)
      let environment = device.applied(to: environment)
      let scripted = try ScriptedUserVerifier(device, environment: environment)
      return Person(
        verifier: scripted, collector: scripted, responder: scripted,
        contextDelegate: device.context == nil ? nil : scripted, environment: environment,
        prompts: { scripted.prompts.map { .init(kind: $0.kind.rawValue, result: $0.result ?? "unanswered") } })
    } catch let error as ScriptedDeviceError {
      throw Failure.unusable("inputUnusable", error.description, stage: "device")
    }
  }

  private static func described(_ path: String) throws -> ScriptedDevice {
    let bytes = try InputFile.bytes(path)
    do { return try ScriptedDevice(json: bytes) } catch let error as ScriptedDeviceError {
      throw Failure.unusable(
        "inputUnusable", "\(InputFile.name(path)): \(error.description)", stage: "device")
    }
  }

  private static func atTerminal(_ options: DeviceOptions, environment: AuthenticatorEnvironment) -> Person {
    let terminal = terminal(environment: environment)
    let passcodes = PAMPasscodeChecker(service: options.pamService, directory: options.pamFolder)
    let log = PromptLog(
      verifier: TerminalUserVerifier(terminal: terminal, passcodes: passcodes, environment: environment),
      collector: TerminalPINCollector(terminal: terminal), responder: TerminalPromptResponder(terminal: terminal))
    return Person(
      verifier: log, collector: log, responder: log, contextDelegate: nil, environment: environment,
      prompts: { log.prompts })
  }

  /// The terminal that standard input is; one that answers `notInteractive` when it is none, even where the session
  /// has a terminal: input that was redirected says that nobody is to be asked.
  static func terminal(environment: AuthenticatorEnvironment) -> PromptTerminal {
    PromptTerminal(
      path: isatty(STDIN_FILENO) == 1 ? nil : "/dev/null", environment: environment, signalsInterrupt: true)
  }
}
