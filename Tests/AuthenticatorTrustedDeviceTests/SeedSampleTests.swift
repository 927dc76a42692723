import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// The document's three views without SwiftUI: what they do, on the model behind them.
@Suite struct SeedSampleTests {
  struct EnrollTrustedDeviceView {
    let clerk: TrustedDeviceClient
    var failure: (any Error)?

    mutating func enrollCurrentDevice() async {
      do {
        try await clerk.trustedDevices.enroll(
          reason: "Use Face ID or Touch ID to sign in."
        )
      } catch {
        failure = error
      }
    }
  }

  struct SignInWithBiometricsView {
    let clerk: TrustedDeviceClient
    var isAvailable = false
    var status: SignIn.Status?
    var failure: (any Error)?

    mutating func refreshAvailability() async {
      do {
        let availability = try await clerk.trustedDevices.availability()
        isAvailable = availability.isAvailable
      } catch {
        isAvailable = false
      }
    }

    mutating func signInWithBiometrics() async {
      do {
        let signIn = try await clerk.auth.signInWithTrustedDevice()
        if signIn.status != .complete {
          status = signIn.status
        }
      } catch {
        // Keep another sign-in method available when biometric sign-in fails.
        failure = error
        await refreshAvailability()
      }
    }
  }

  struct RevokeTrustedDeviceView {
    let clerk: TrustedDeviceClient
    var devices: [TrustedDevice] = []
    var failure: (any Error)?

    mutating func loadTrustedDevices() async {
      do {
        devices = try await clerk.trustedDevices.list()
      } catch {
        failure = error
      }
    }

    mutating func revoke(_ device: TrustedDevice) async {
      do {
        try await clerk.trustedDevices.revoke(id: device.id)
        devices.removeAll { $0.id == device.id }
      } catch {
        failure = error
      }
    }
  }

  @Test func enrollsSignsInAndRevokesAsTheDocumentDoes() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script()
    bench.script(attempt: "tdc_1")
    bench.device.verifier.perform(.match())
    var enrolling = EnrollTrustedDeviceView(clerk: bench.client)
    await enrolling.enrollCurrentDevice()
    #expect(enrolling.failure == nil)
    try await bench.signOut()

    var signingIn = SignInWithBiometricsView(clerk: bench.client)
    await signingIn.refreshAvailability()
    #expect(signingIn.isAvailable)
    bench.script(create: "tdc_1")
    bench.device.verifier.perform(.cancel)
    await signingIn.signInWithBiometrics()
    #expect((signingIn.failure as? AuthenticatorError)?.code == .userCanceled)
    #expect(signingIn.isAvailable)
    bench.script(create: "tdc_1")
    bench.script(complete: "sess_A")
    bench.device.verifier.perform(.match())
    signingIn.failure = nil
    await signingIn.signInWithBiometrics()
    #expect(signingIn.failure == nil)
    #expect(signingIn.status == nil)

    var revoking = RevokeTrustedDeviceView(clerk: bench.client)
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    await revoking.loadTrustedDevices()
    let device = try #require(revoking.devices.first)
    #expect(device.name ?? "Trusted device" == "Test device")
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    await revoking.revoke(device)
    #expect(revoking.failure == nil)
    #expect(revoking.devices.isEmpty)
    #expect(try await bench.devices.localAvailability() == .unavailable(.noLocalCredential))
  }

  @Test func removesStaleStateWhenTheSignInReportsIt() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll()
    try await bench.signOut()
    bench.script(422, "trusted_device_not_registered", parameter: "trusted_device_id")
    var view = SignInWithBiometricsView(clerk: bench.client, isAvailable: true)
    await view.signInWithBiometrics()
    #expect((view.failure as? AuthenticatorError)?.code == .credentialGone)
    #expect(!view.isAvailable)
  }
}
