import AuthenticatorCore
import AuthenticatorCrypto

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Checks the passcode by PAM: the authentication and the account phase of one service.
///
/// Without the service's file it answers `passcodeNotSet`: PAM's own fallback, the service `other`, is never used.
/// Calls run one at a time on a thread of their own, since PAM pauses for seconds after a failure.
public actor PAMPasscodeChecker: PasscodeChecker {
  /// The name of the PAM service.
  public nonisolated let service: String
  /// The folder of service files; no other is looked at.
  public nonisolated let directory: String
  /// The user whose passcode it is.
  public nonisolated let user: String

  private nonisolated let executor = BlockingExecutor(label: "AuthenticatorKit.pam")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Checks by a service of the machine.
  /// - Parameter user: nil: whoever runs this process, by the system's user database.
  public init(service: String = "login", directory: String = "/etc/pam.d", user: String? = nil) {
    self.service = service
    self.directory = directory
    self.user = user ?? Self.currentUser() ?? ""
  }

  public func state() -> MethodState { isUsable ? .ready : .notSet }

  public func check(_ passcode: SecretBytes) throws -> Bool {
    guard isUsable else {
      throw AuthenticatorError(
        .passcodeNotSet, stage: "pam", reason: "there is no service \(service) in \(directory), or no such user")
    }
    // PAM takes C text: beyond a NUL it would compare a part only.
    guard (1...PAMTransaction.maximumBytes).contains(passcode.count),
      passcode.withUnsafeBytes({ !$0.contains(0) })
    else { return false }
    return try PAMTransaction(service: service, directory: directory, user: user).check(passcode)
  }

  private var isUsable: Bool {
    !service.isEmpty && !service.contains("/") && !user.isEmpty && !service.utf8.contains(0) && !user.utf8.contains(0)
      && access("\(directory)/\(service)", R_OK) == 0
  }

  private static func currentUser() -> String? {
    var buffer = [CChar](repeating: 0, count: 1 << 14)
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, let name = found?.pointee.pw_name else {
      return nil
    }
    return String(cString: name)
  }
}
