/// One verb of the tool: a file that declares its syntax and runs it. A new verb is its file and a line in `all`.
protocol Verb: Sendable {
  static var syntax: Syntax { get }

  /// Reads the arguments; whatever is wrong with them is thrown before anything is touched.
  init(_ arguments: Arguments) throws

  /// Does it, prints its data, and says how it ended. Anything thrown is printed as a failure.
  func run(_ console: Console) async throws -> ExitStatus

  /// What is printed of an error that ended the verb, or that its arguments are.
  static func ending(by error: any Error) -> Failure
}

extension Verb {
  static func ending(by error: any Error) -> Failure { Failure(error) }
}

/// Every verb, in the order the help shows.
enum Verbs {
  static let all: [any Verb.Type] = [
    Serve.self, Login.self, KeysList.self, KeysCheck.self, KeysDelete.self, KeysRotate.self,
    WebAuthnRegister.self, WebAuthnAuthenticate.self, WebAuthnVerifyRegistration.self,
    WebAuthnVerifyAuthentication.self, WebAuthnVerifySignature.self, WebAuthnList.self, WebAuthnDelete.self,
    WebAuthnConfirm.self, WebAuthnWithdraw.self,
    TrustedDeviceLogin.self, TrustedDeviceSignUp.self, TrustedDeviceSignOut.self, TrustedDeviceEnroll.self,
    TrustedDeviceAvailabilityVerb.self, TrustedDeviceReconcile.self, TrustedDeviceSignIn.self, TrustedDeviceList.self,
    TrustedDeviceRevoke.self, UAFProcess.self, UAFVerify.self, UAFNotify.self, UAFDiscover.self, UAFList.self,
    Doctor.self,
  ]

  /// The verb whose words begin `arguments`, and the rest; the longest match wins.
  static func find(_ arguments: ArraySlice<String>) -> (any Verb.Type, ArraySlice<String>)? {
    all.filter { arguments.starts(with: $0.syntax.words) }
      .max { $0.syntax.words.count < $1.syntax.words.count }
      .map { ($0, arguments.dropFirst($0.syntax.words.count)) }
  }

  /// The verbs whose first words are `words`.
  static func group(_ words: some Collection<String>) -> [any Verb.Type] {
    all.filter { $0.syntax.words.starts(with: words) }
  }
}
