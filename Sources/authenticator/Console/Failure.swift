import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorWebAuthn

/// What ends a verb before it is done: a code for programs, a sentence for people, and the exit status.
struct Failure: Error {
  var code: String
  var message: String
  /// Where it happened, a short fixed word.
  var stage: String
  var status: ExitStatus
  /// A protocol's own words for it; printed with `--json`.
  var details: JSONObject = [:]

  /// The command line is wrong.
  static func usage(_ message: String, verb: Syntax? = nil) -> Failure {
    let hint = verb.map { "; see 'authenticator help \($0.name)'" } ?? ""
    return Failure(code: "usage", message: message + hint, stage: "arguments", status: .usage)
  }

  /// A file or another part of the surroundings cannot be used.
  static func unusable(_ code: String, _ message: String, stage: String) -> Failure {
    Failure(code: code, message: message, stage: stage, status: .unusable)
  }

  /// The same failure of a file, which the message names.
  func of(_ path: String) -> Failure {
    // Some failures of a store in use name it themselves.
    guard !message.contains(path) else { return self }
    var failure = self
    failure.message = "\(path): \(message)"
    return failure
  }

  /// As every failure is printed with `--json`.
  var json: JSONValue {
    var object: JSONObject = ["error": .string(code), "message": .string(message), "stage": .string(stage)]
    for detail in details { object[detail.name] = detail.value }
    return .object(object)
  }
}

extension Failure {
  /// The failure that a thrown error amounts to. Errors of the library carry no secret; of foreign ones only the type
  /// is told.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as AuthenticatorError:
      self.init(
        code: error.code.rawValue, message: Self.message(of: error), stage: error.stage,
        status: Self.unusableCodes.contains(error.code) ? .unusable : .refused)
    // A store that cannot be read or written is no refusal, which a relying party would see as such.
    case let error as WebAuthnError where error.cause.map({ Self.unusableCodes.contains($0.code) }) ?? false:
      self.init(error.cause ?? AuthenticatorError(.storageFailed, stage: "webauthn"))
    case let error as WebAuthnError:
      let isAbsent = error.reason.isEmpty && error.cause?.code == .keyNotFound
      let absence = "no credential of this device fits; one that is not discoverable must be named by the options"
      let message =
        isAbsent ? absence : (error.reason.isEmpty ? error.cause.map(Self.message) : error.reason) ?? "refused"
      let hint = error.name == .constraint ? "; \(Self.doctorHint)" : ""
      self.init(
        code: error.name.rawValue, message: message + hint, stage: error.cause?.stage ?? "webauthn", status: .refused)
    case let error as RegistryError:
      self.init(code: "storageFailed", message: error.description, stage: "registry", status: .unusable)
    case is CancellationError:
      let code = AuthenticatorError.Code.appCanceled
      self.init(code: code.rawValue, message: CodeText.sentence(for: code), stage: "run", status: .refused)
    default:
      self.init(code: "internalError", message: "unexpected \(type(of: error))", stage: "run", status: .refused)
    }
  }

  /// Codes that speak of the environment rather than of a refusal.
  private static let unusableCodes: Set<AuthenticatorError.Code> = [
    .storageFailed, .outOfMemory, .storeMissing, .notAStore, .storeDamaged, .storeNewer, .busy, .integrityFailed,
  ]

  private static func message(of error: AuthenticatorError) -> String {
    (error.reason.isEmpty ? CodeText.sentence(for: error.code) : error.reason)
      + hints(error.attemptsRemaining, error.retryAfter)
  }

  /// What the device lacks, and what helps, is another verb's to tell.
  static let doctorHint = "'authenticator doctor' tells what this device has"

  /// What the person can go by: the tries that are left and the wait.
  static func hints(_ attemptsRemaining: Int?, _ retryAfter: Duration?) -> String {
    (attemptsRemaining.map { "; attempts remaining: \($0)" } ?? "")
      + (retryAfter.map { "; try again in \(wholeSeconds($0)) s" } ?? "")
  }

  /// Rounded up: a wait that is followed to the second is over.
  static func wholeSeconds(_ wait: Duration) -> Int64 {
    let (seconds, rest) = wait.components
    return max(1, rest > 0 && seconds < .max ? seconds + 1 : seconds)
  }
}
