import AuthenticatorCore
import AuthenticatorLinux

/// Whether the person could be verified now.
struct VerifierCheck {
  let options: DeviceOptions
  let environment: AuthenticatorEnvironment

  func run() async -> Finding {
    let person: Person
    do {
      person = try Person.inFront(of: options, environment: environment)
    } catch {
      let failure = Failure(error)
      return .fault("verifier", failure.message, fix: "correct the file named with --device scripted:")
    }
    let methods = await person.verifier.methods()
    if case .scripted = options.source {
    } else if !Person.terminal(environment: environment).isAvailable {
      return .fault(
        "verifier", "there is no terminal to ask on",
        fix: "run it on a terminal, or give --device scripted:FILE in scripts")
    }
    if let fault = sensorFault(methods) { return fault }
    let ready = methods.filter { $0.value == .ready }.map(\.key.rawValue).sorted()
    if ready.isEmpty, await !isPasscodeCheckable {
      return .skipped("verifier", "the passcode alone could be checked here, and nothing checks it: see pam")
    }
    guard !ready.isEmpty else {
      return .fault(
        "verifier", "neither a fingerprint, a face nor a passcode can be checked",
        fix: "enroll a fingerprint, set a passcode, or use an application PIN")
    }
    do {
      // Without a sensor nobody can tell, and nobody needs to.
      if methods.contains(where: { $0.key.isBiometric && $0.value == .ready }) {
        _ = try await person.verifier.enrollmentState()
      }
    } catch {
      return .fault(
        "verifier", "the enrolled set cannot be read, so biometric keys are refused",
        fix: "start the sensor's service, or wait until it answers")
    }
    return .ok("verifier", "ready: \(ready.joined(separator: ", "))")
  }

  /// Whether PAM is there to check a passcode, or need not be.
  private var isPasscodeCheckable: Bool {
    get async { await PAMCheck(options: options).run().status != .fault }
  }

  private func sensorFault(_ methods: [VerificationMethod: MethodState]) -> Finding? {
    let states = methods.filter(\.key.isBiometric).values
    if states.contains(.lockedOut) {
      let isPasscodeSet = methods[.passcode] == .ready
      return .fault(
        "verifier", "the sensor is locked after too many failures",
        fix: isPasscodeSet
          ? "give the device passcode once" : "set a device passcode and give it once: only that unlocks the sensor")
    }
    if states.contains(.unavailable) {
      return .fault(
        "verifier", "the sensor does not answer", fix: "start its service, and check your permission to use it")
    }
    return nil
  }
}
