import AuthenticatorCore
import AuthenticatorCrypto

extension ConformanceChecks {
  /// Checks the life cycle of a key store that can make an ES256 key, with keys of an instance of its own; they are
  /// deleted at the end.
  public static func keyStore(
    _ store: any KeyStore, environment: AuthenticatorEnvironment
  ) async throws -> [ConformanceViolation] {
    let list = ConformanceList()
    let instance = "https://conformance.example/" + String(describing: try environment.random(4))
    let owner = KeyOwner(instance: instance, family: .deviceBinding, party: "/", account: [1])
    func stage() async throws -> KeyRecord {
      try await store.stage(
        KeyRequest(owner: owner, algorithms: [.es256], slot: "slot"), as: .none, access: KeyAccess(gate: .open),
        enrollmentState: nil, ticket: nil)
    }
    func active() async throws -> [KeyTag] {
      try await store.records(matching: KeyQuery(instance: instance)).map(\.tag)
    }
    do {
      let missing = KeyTag(rawValue: "conformance-missing")
      list.expect("An absent record is nil", try await store.record(missing) == nil)
      list.expect("An absent key is not present", try await !store.presence(of: missing))
      await list.expect("An absent key does not sign", throws: [.keyNotFound]) {
        try await store.sign([1], with: missing, ticket: nil)
      }
      try await store.delete(missing)
      try await store.discard(missing)

      let first = try await stage()
      list.expectEqual("A new key is staged", first.state, .staged)
      list.expect("A staged key is not offered", try await active().isEmpty)
      let signature = try await store.sign([1, 2, 3], with: first.tag, ticket: nil)
      list.expect(
        "A staged key signs",
        try Verifier(first.publicKey, algorithm: .es256).isValidSignature(signature, for: [1, 2, 3]))
      try await store.commit(first.tag, externalID: [7], details: [8])
      list.expectEqual("A committed key is offered", try await active(), [first.tag])
      list.expectEqual("A commit names the key", try await store.record(first.tag)?.externalID, [7])
      await list.expect("An active key is not discarded", throws: [.invalidKeyState]) {
        try await store.discard(first.tag)
      }

      let second = try await stage()
      list.expectEqual("Staging replaces nothing", try await active(), [first.tag])
      try await store.commit(second.tag, externalID: nil, details: [])
      list.expectEqual("A commit retires the slot's holder", try await store.record(first.tag)?.state, .retired)
      await list.expect("A retired key does not sign", throws: [.invalidKeyState]) {
        try await store.sign([1], with: first.tag, ticket: nil)
      }
      try await store.restore(first.tag)
      list.expectEqual("A restored key is offered again, alone", try await active(), [first.tag])
      list.expect("Its successor is destroyed", try await store.record(second.tag) == nil)

      let third = try await stage()
      try await store.discard(third.tag)
      list.expect("A discarded key is gone", try await store.record(third.tag) == nil)
      try await store.beginRevoking(first.tag)
      list.expect("A key that is being revoked is not offered", try await active().isEmpty)
      await list.expect("A key that is being revoked does not sign", throws: [.invalidKeyState]) {
        try await store.sign([1], with: first.tag, ticket: nil)
      }

      let gated = try await store.stage(
        KeyRequest(owner: owner, algorithms: [.es256]), as: .devicePasscode,
        access: KeyAccess(gate: .verified([.passcode])), enrollmentState: nil, ticket: nil)
      try await checkGate(of: gated, in: store, environment, list)
      try await store.invalidate(missing)
      let void = try await stage()
      try await store.invalidate(void.tag)
      list.expect("An invalidated key is marked", try await store.record(void.tag)?.isInvalidated == true)
      await list.expect("An invalidated key does not sign", throws: [.keyInvalidated]) {
        try await store.sign([1], with: void.tag, ticket: nil)
      }
    } catch {
      list.expect("The life cycle runs", false, "it threw \(error)")
    }
    let rest = KeyQuery(instance: instance, states: Set(KeyRecord.State.allCases))
    for record in try await store.records(matching: rest) { try await store.delete(record.tag) }
    list.expect("Deleted keys are gone", try await store.records(matching: rest).isEmpty)
    return list.violations
  }

  private static func checkGate(
    of record: KeyRecord, in store: any KeyStore, _ environment: AuthenticatorEnvironment,
    _ list: ConformanceList
  ) async throws {
    func ticket(_ method: VerificationMethod) throws -> VerificationTicket {
      VerificationTicket(
        verification: UserVerification(level: .verified, methods: [method], time: environment.now()),
        operation: try OperationID(in: environment), expires: environment.uptime() + .seconds(60))
    }
    await list.expect("A gated key does not sign without a ticket", throws: [.verificationInsufficient]) {
      try await store.sign([1], with: record.tag, ticket: nil)
    }
    await list.expect("A gated key does not sign by another method", throws: [.verificationInsufficient]) {
      try await store.sign([1], with: record.tag, ticket: try ticket(.fingerprint))
    }
    let good = try ticket(.passcode)
    _ = try await store.sign([1], with: record.tag, ticket: good)
    await list.expect("A ticket is spent by a signature", throws: [.verificationSpent]) {
      try await store.sign([1], with: record.tag, ticket: good)
    }
  }
}
