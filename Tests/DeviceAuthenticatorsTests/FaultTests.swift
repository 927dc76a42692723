import AuthenticatorCore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// Every call to the store fails in turn, before and after it took effect: nothing half-made remains that recovery
/// could not see, no key signs unverified, and the next binding works.
@Suite struct FaultTests {
  static let types: [AuthenticatorType] = [
    .biometricOnly, .biometricAllowFallback, .devicePasscode, .applicationPIN, .none,
  ]

  private static func answers(_ type: AuthenticatorType, _ count: Int = 1) -> [ScriptedStep] {
    let step: ScriptedStep =
      switch type {
      case .applicationPIN: .pin("739105")
      case .devicePasscode: .passcode("482913")
      default: .match()
      }
    return Array(repeating: step, count: count)
  }

  private func make(_ type: AuthenticatorType, _ device: TestDevice) async throws -> any DeviceAuthenticator {
    try await AuthenticatorFactories.defaults(
      applicationPIN: ApplicationPINConfig(pinCollector: device.verifier)
    ).make(type, device.context)
  }

  /// What device binding does, with its undoing on any failure.
  private func bind(_ authenticator: any DeviceAuthenticator, _ device: TestDevice) async throws -> KeyRecord {
    let request = try device.registration(of: device.owner(), slot: "alice")
    let staged = try await authenticator.register(request)
    do {
      let key = try await authenticator.authenticate(
        SigningRequest(
          record: staged.record, operation: request.operation, prompt: request.prompt, deadline: request.deadline,
          ticket: staged.ticket))
      try await device.expectSignature(of: key)
      return try await staged.commit()
    } catch {
      do {
        try await staged.discard()
      } catch {
        // Recovery's turn.
      }
      throw error
    }
  }

  @Test(arguments: FaultTests.types, FaultInjectingKeyStore.Moment.allCases)
  func bindingSurvivesAFaultInEachCall(_ type: AuthenticatorType, _ moment: FaultInjectingKeyStore.Moment) async throws
  {
    var place = 0
    while true {
      let device = try TestDevice.fingerprint()
      let authenticator = try await make(type, device)
      device.verifier.script(Self.answers(type))
      device.store.failCall(at: place, moment)
      let result = await Result { try await bind(authenticator, device) }
      let wasHit = device.store.calls.count > place
      let failed = device.store.calls.indices.contains(place) ? device.store.calls[place] : nil
      device.store.repair()
      let records = try await device.store.records(matching: .everything)
      switch result {
      case .success: #expect(records.map(\.state) == [.active], "\(String(describing: failed))")
      case .failure(let error):
        #expect((error as? AuthenticatorError)?.code == .storageFailed, "\(String(describing: failed)): \(error)")
        // An answer that was lost after it took effect leaves what its call made, and no more.
        let tolerated: Set<KeyRecord.State> = moment == .after ? [.staged, .active] : []
        #expect(records.allSatisfy { tolerated.contains($0.state) }, "\(String(describing: failed))")
        if moment == .before {
          let domain = ApplicationPINAuthenticator.domain(of: device.owner())
          #expect(try await !device.store.isSet(domain), "\(String(describing: failed))")
        }
      }
      for record in records where record.state == .staged { try await device.store.discard(record.tag) }
      device.verifier.script(Self.answers(type, 2))
      let record = try await bind(authenticator, device)
      let key = try await authenticator.authenticate(try device.signing(record))
      try await device.expectSignature(of: key)
      if !wasHit { break }
      place += 1
    }
    #expect(place > 1)
  }

  @Test(arguments: FaultTests.types)
  func signingSurvivesAFaultInEachCall(_ type: AuthenticatorType) async throws {
    let device = try TestDevice.fingerprint()
    let authenticator = try await make(type, device)
    device.verifier.script(Self.answers(type))
    let record = try await bind(authenticator, device)
    for moment in FaultInjectingKeyStore.Moment.allCases {
      var place = 0
      while true {
        device.store.repair()
        device.store.failCall(at: place, moment)
        device.verifier.script(Self.answers(type))
        let result = await Result {
          let key = try await authenticator.authenticate(try device.signing(record))
          return try await key.sign([1])
        }
        let wasHit = device.store.calls.count > place
        if case .failure(let error) = result {
          #expect((error as? AuthenticatorError)?.code == .storageFailed)
        }
        #expect(result.isFailure == wasHit)
        if !wasHit { break }
        place += 1
      }
      #expect(place > 0)
    }
    device.store.repair()
    #expect(try await device.store.record(record.tag)?.state == .active)
  }

  @Test func aPINThatCannotBePaidForIsNotCompared() async throws {
    let device = try TestDevice(ScriptedDevice(steps: [.pin("739105"), .pin("739105")]))
    let record = try await device.bind(device.applicationPIN)
    device.store.fail(.unlock)
    let request = try device.signing(record)
    #expect(await code { try await device.applicationPIN.authenticate(request) } == .storageFailed)
    #expect(device.verifier.prompts.count == 2)
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }

  fileprivate var isFailure: Bool {
    if case .failure = self { return true }
    return false
  }
}
