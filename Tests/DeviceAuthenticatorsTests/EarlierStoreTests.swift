import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorSQLite
import AuthenticatorTestSupport
import DeviceAuthenticators
import Foundation
import TestVectors
import Testing

/// Keys of store files that an earlier release wrote, used by the authenticators that made them.
@Suite struct EarlierStoreTests {
  /// The set of the fixtures' keys that remember one.
  private static let enrolled = EnrollmentState(digest: [UInt8](repeating: 0xA5, count: 32))

  /// A scripted person whose enrolled set is the one named.
  private struct Person: UserVerifier {
    let scripted: ScriptedUserVerifier
    let enrolled: EnrollmentState?

    func methods() async -> [VerificationMethod: MethodState] { await scripted.methods() }
    func enrollmentState() async throws -> EnrollmentState? { enrolled }
    func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
      let ticket = try await scripted.verify(request, by: access)
      // What the prompt saw is what is enrolled.
      var verification = ticket.verification
      verification.enrollmentState = enrolled
      return VerificationTicket(
        verification: verification, authorization: ticket.authorization, operation: request.operation,
        expires: request.deadline)
    }
  }

  private struct Earlier {
    let device: TestDevice
    let store: SQLiteKeyStore
    let context: AuthenticatorContext
    let folder: URL

    init(_ name: String, enrolled: EnrollmentState? = EarlierStoreTests.enrolled, _ steps: ScriptedStep...) async throws
    {
      device = try TestDevice(
        ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913", steps: steps),
        instance: "https://am.example/am")
      folder = FileManager.default.temporaryDirectory.appending(path: "earlier-\(UUID().uuidString)")
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      let path = folder.appending(path: "keys").path
      try Data(try Vectors.bytes("stores/" + name)).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      // As an app would: with the bounds that are shipped.
      store = try await SQLiteKeyStore.open(path: path, environment: device.context.environment)
      var context = device.context
      context.keyStore = store
      context.verifier = Person(scripted: device.verifier, enrolled: enrolled)
      self.context = context
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func record(_ type: AuthenticatorType) async throws -> KeyRecord {
      try #require(try await store.records(matching: .everything).first { $0.authenticator == type })
    }

    var allowFallback: BiometricDeviceCredentialAuthenticator {
      BiometricDeviceCredentialAuthenticator(context: context)
    }
  }

  /// A key that remembers no set cannot be compared, so no set is another one.
  @Test(arguments: [enrolled, EnrollmentState(digest: [1]), nil])
  func aKeyWithoutDomainStateSignsWhateverIsEnrolled(enrolled: EnrollmentState?) async throws {
    let earlier = try await Earlier("no-domain-state.authstore", enrolled: enrolled, .match(), .passcode("482913"))
    defer { earlier.remove() }
    let record = try await earlier.record(.biometricAllowFallback)
    #expect(record.access.enrollment == .compared && record.enrollmentState == nil)
    for method in [VerificationMethod.fingerprint, .passcode] {
      #expect(try await earlier.device.signIn(earlier.allowFallback, record)?.methods == [method])
    }
    #expect(await earlier.allowFallback.health(of: record).state == .usable)
    #expect(try await earlier.store.record(record.tag)?.enrollmentState == nil, "signing remembers no set either")
  }

  @Test func aKeyWithoutDomainStateIsNotUsedUnverified() async throws {
    let earlier = try await Earlier("no-domain-state.authstore", .cancel)
    defer { earlier.remove() }
    let request = try earlier.device.signing(try await earlier.record(.biometricAllowFallback))
    #expect(await code { try await earlier.allowFallback.authenticate(request) } == .userCanceled)
  }

  @Test func keysOfTheFirstSchemaVersionSign() async throws {
    let earlier = try await Earlier("schema-1.authstore", .match(), .match(), .passcode("482913"))
    defer { earlier.remove() }
    let device = earlier.device
    let context = earlier.context
    let fallback = try await earlier.record(.biometricAllowFallback)
    #expect(fallback.enrollmentState == Self.enrolled)
    #expect(try await device.signIn(earlier.allowFallback, fallback)?.methods == [.fingerprint])
    let only = BiometricOnlyAuthenticator(context: context)
    #expect(try await device.signIn(only, try await earlier.record(.biometricOnly))?.methods == [.fingerprint])
    let passcode = DevicePasscodeAuthenticator(context: context)
    #expect(try await device.signIn(passcode, try await earlier.record(.devicePasscode))?.methods == [.passcode])
    _ = try await device.signIn(NoneAuthenticator(context: context), try await earlier.record(.none))
    #expect(device.kinds.count == 3)
  }

  /// What these keys remember still counts.
  @Test func keysOfTheFirstSchemaVersionMeetAChangedSet() async throws {
    let earlier = try await Earlier("schema-1.authstore", enrolled: EnrollmentState(digest: [1]))
    defer { earlier.remove() }
    let (device, store) = (earlier.device, earlier.store)
    let only = try await earlier.record(.biometricOnly)
    let fallback = try await earlier.record(.biometricAllowFallback)
    var request = try device.signing(only)
    let biometricOnly = BiometricOnlyAuthenticator(context: earlier.context)
    #expect(await code { try await biometricOnly.authenticate(request) } == .keyInvalidated)
    #expect(try await store.record(only.tag)?.state == .active)
    request = try device.signing(fallback)
    #expect(await code { try await earlier.allowFallback.authenticate(request) } == .deviceNotRegistered)
    #expect(try await store.record(fallback.tag) == nil)
    #expect(device.kinds.isEmpty)
  }
}
