import AuthenticatorCore
import AuthenticatorLinux

/// Whether something can check the device passcode.
struct PAMCheck {
  let options: DeviceOptions

  func run() async -> Finding {
    if case .scripted = options.source { return .skipped("pam", "a scripted device has its own passcode") }
    let checker = PAMPasscodeChecker(service: options.pamService, directory: options.pamFolder)
    let place = "service \(options.pamService) in \(options.pamFolder)"
    guard await checker.state() == .ready else {
      return .fault(
        "pam", "there is no \(place), so no passcode can be checked",
        fix: "make the service, or name another with --pam-service and --pam-folder")
    }
    return .ok("pam", "passcodes are checked by \(place)")
  }
}
