import AuthenticatorCore
import AuthenticatorCrypto

extension ConformanceChecks {
  /// Checks an authenticator, an app's subclass above all, on a scripted device of its own.
  /// - Parameters:
  ///   - device: the device it finds; it must be able to register there.
  ///   - answers: what the person does when asked; steps without a control in the prompt are passed over, so one list
  ///     may serve prompts of several kinds. An authenticator that verifies by other means needs none.
  ///   - make: a new authenticator for a context; the verifier also collects PINs and hands over contexts.
  public static func authenticator(
    on device: ScriptedDevice = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913"),
    answers: [ScriptedStep] = [.pin("739105"), .match(), .passcode("482913")],
    make: (AuthenticatorContext, ScriptedUserVerifier) async throws -> any DeviceAuthenticator
  ) async throws -> [ConformanceViolation] {
    let bench = try TestDevice(device)
    let check = AuthenticatorCheck(
      bench: bench, answers: answers, authenticator: try await make(bench.context, bench.verifier))
    do {
      try await check.run()
    } catch {
      check.list.expect("The ordinary use of an authenticator succeeds", false, "it threw \(error)")
    }
    return check.list.violations
  }
}

/// One run of the checks.
private struct AuthenticatorCheck {
  let bench: TestDevice
  let answers: [ScriptedStep]
  let authenticator: any DeviceAuthenticator
  let list = ConformanceList()

  func run() async throws {
    await checkQueries()
    let record = try await checkRegistration()
    try await checkSigning(with: record)
    try await checkRefusals(with: record)
    try await checkPrompt(of: record)
    try await checkEnrollment()
    try await checkDeletion(of: record)
  }

  private func checkQueries() async {
    list.expectEqual("The type is constant", authenticator.type(), authenticator.type())
    list.expect("The type has a name", !authenticator.type().rawValue.isEmpty)
    let availability = await authenticator.availability()
    if case .available = availability {
    } else {
      list.expect("It is available on the device it is checked on", false, "\(availability)")
    }
    list.expect(
      "It is supported on a device with hardware keys", await authenticator.isSupported(attestation: .none))
    list.expect("Queries are silent", bench.verifier.prompts.isEmpty)
    list.expect("Queries make no key", !bench.store.calls.contains(.stage))
  }

  private func checkRegistration() async throws -> KeyRecord {
    bench.verifier.script(answers)
    let owner = bench.owner()
    let request = try bench.registration(of: owner)
    let staged = try await authenticator.register(request)
    let record = staged.record
    list.expectEqual("A new key's record has the authenticator's type", record.authenticator, authenticator.type())
    list.expectEqual("A new key belongs to the owner asked for", record.owner, owner)
    list.expectEqual("A new key is staged", record.state, .staged)
    list.expect("A new key is in the context's store", try await bench.store.record(record.tag) != nil)
    bench.verifier.script(answers)
    let key = try await authenticator.authenticate(
      SigningRequest(
        record: record, operation: request.operation, prompt: request.prompt, deadline: request.deadline,
        ticket: staged.ticket))
    try await checkSignature(of: key)
    list.expect(
      "Registering and first use ask at most once", bench.verifier.prompts.count <= 1,
      "\(bench.verifier.prompts.count) prompts")
    return try await staged.commit()
  }

  private func checkSignature(of key: SigningKey) async throws {
    let message = Array("conformance".utf8)
    let signature = try await key.sign(message)
    list.expect(
      "A signature verifies under the record's public key",
      try Verifier(key.record.publicKey, algorithm: key.record.algorithm).isValidSignature(signature, for: message))
    let level = key.record.access.level
    list.expect("The evidence reaches the gate's level", (key.verification?.level ?? .none) >= level)
    guard level > .none else { return }
    await list.expect("One verification gives one signature", throws: [.verificationSpent]) {
      try await key.sign(message)
    }
  }

  private func checkSigning(with record: KeyRecord) async throws {
    let before = bench.verifier.prompts.count
    bench.verifier.script(answers)
    let request = try bench.signing(record)
    let key = try await authenticator.authenticate(request)
    list.expect("One use is one prompt", bench.verifier.prompts.count <= before + 1)
    try await checkSignature(of: key)
    guard record.access.level > .none else { return }
    bench.verifier.script(answers)
    let foreign = VerificationTicket(
      verification: UserVerification(
        level: .verified, methods: key.verification?.methods ?? [], time: bench.environment.clock.now),
      operation: OperationID(bytes: [9]), expires: request.deadline)
    var again = try bench.signing(record)
    again.ticket = foreign
    try await checkSignature(of: try await authenticator.authenticate(again))
    list.expect(
      "A ticket of another operation is not used",
      foreign.isUsable(for: OperationID(bytes: [9]), at: bench.environment.clock.uptime))
  }

  private func checkRefusals(with record: KeyRecord) async throws {
    let before = bench.verifier.prompts.count
    let late = try bench.signing(record, timeout: .zero)
    if record.access.level > .none {
      await list.expect("A request whose time is over is `timedOut`", throws: [.timedOut]) {
        try await authenticator.authenticate(late)
      }
    }
    let access = KeyAccess(gate: .open)
    let foreign = try await bench.store.stage(
      KeyRequest(owner: bench.owner(), algorithms: [.es256]), as: AuthenticatorType(rawValue: "someone-else"),
      access: access, enrollmentState: nil, ticket: nil)
    let foreignRequest = try bench.signing(foreign)
    await list.expect("A record of another type is refused", throws: [.invalidRequest]) {
      try await authenticator.authenticate(foreignRequest)
    }
    var elsewhere = bench.owner()
    elsewhere.instance = "https://elsewhere.example"
    let distant = try await bench.store.stage(
      KeyRequest(owner: elsewhere, algorithms: [.es256]), as: authenticator.type(), access: access,
      enrollmentState: nil, ticket: nil)
    let distantRequest = try bench.signing(distant)
    await list.expect("A record of another instance is refused", throws: [.invalidRequest]) {
      try await authenticator.authenticate(distantRequest)
    }
    list.expectEqual("What is refused shows no prompt", bench.verifier.prompts.count, before)
  }

  /// How a prompt ends without a verification. Nothing to check where none was ever shown.
  private func checkPrompt(of record: KeyRecord) async throws {
    guard record.access.level > .none, !bench.verifier.prompts.isEmpty else { return }
    for (step, code) in [(ScriptedStep.cancel, AuthenticatorError.Code.userCanceled), (.systemCancel, .systemCanceled)]
    {
      bench.verifier.script([step])
      let request = try bench.signing(record)
      await list.expect("A prompt ended by \(step) is `\(code)`", throws: [code]) {
        try await authenticator.authenticate(request)
      }
    }
    let clock = bench.environment.clock
    for step in [ScriptedStep.noAnswer, .hang] {
      bench.verifier.script([step])
      let request = try bench.signing(record)
      let time = Task {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(61))
      }
      await list.expect("A prompt that nobody answers (\(step)) is `timedOut`", throws: [.timedOut]) {
        try await authenticator.authenticate(request)
      }
      await time.value
      bench.verifier.releaseHanging()
    }
  }

  private func checkEnrollment() async throws {
    bench.verifier.script(answers)
    let staged = try await authenticator.register(try bench.registration(of: bench.owner("bob")))
    let record = try await staged.commit()
    guard record.access.enrollment != .ignored, record.enrollmentState != nil else { return }
    try bench.verifier.enroll("conformance-finger")
    list.expectEqual("A changed set is seen by `health`", await authenticator.health(of: record).state, .changed)
    bench.verifier.script(answers)
    let request = try bench.signing(record)
    let code: AuthenticatorError.Code = record.access.enrollment == .compared ? .deviceNotRegistered : .keyInvalidated
    await list.expect("A changed set ends as the key's rule says", throws: [code]) {
      try await authenticator.authenticate(request)
    }
    list.expectEqual(
      "A key is deleted for a changed set if its rule says so, and only then",
      try await bench.store.record(record.tag) == nil, record.access.enrollment == .compared)
    try bench.verifier.remove("conformance-finger")
    guard record.access.enrollment == .currentSet else { return }
    // The record at hand is the one from before: whoever holds an old copy must not get further than the others.
    bench.verifier.script(answers)
    let late = try bench.signing(record)
    await list.expect("A key that met a changed set stays closed when the set comes back", throws: [.keyInvalidated]) {
      try await authenticator.authenticate(late).sign([1])
    }
    list.expectEqual(
      "A key that met a changed set stays `changed`", await authenticator.health(of: record).state, .changed)
  }

  private func checkDeletion(of record: KeyRecord) async throws {
    let before = bench.verifier.prompts.count
    let health = await authenticator.health(of: record)
    list.expectEqual("A key that signs is usable", health.state, .usable)
    list.expectEqual("Health tells the key's protection", health.protection, record.protection)
    try await authenticator.deleteKeys()
    list.expect("Deleting deletes this type's keys", try await bench.store.record(record.tag) == nil)
    list.expectEqual("A deleted key is gone", await authenticator.health(of: record).state, .gone)
    list.expectEqual("Health and deletion are silent", bench.verifier.prompts.count, before)
    let rest = try await bench.store.records(matching: .everything)
    list.expect(
      "Deleting spares other types", rest.contains { $0.authenticator.rawValue == "someone-else" })
    list.expect(
      "Deleting spares other instances", rest.contains { $0.owner.instance == "https://elsewhere.example" })
  }
}
