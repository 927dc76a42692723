import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// Secrets are planted, everything that could be logged is gathered, and searched.
@Suite struct SecretsTests {
  private static let planted = [
    "passcode-71A9", "passcode-wrong-71A9", "pin-5E02-right", "pin-5E02-wrong", "pin-5E02-new",
  ]

  @Test func noDescriptionEventErrorOrTranscriptHoldsASecret() async throws {
    let steps: [ScriptedStep] = [
      .passcode("passcode-wrong-71A9"), .passcode("passcode-71A9"), .pin("pin-5E02-right"),
      .pin("pin-5E02-wrong"), .pin("pin-5E02-wrong"), .pin("pin-5E02-wrong"),
    ]
    let description = ScriptedDevice(
      sensor: .fingerprint, enrolled: ["right-index"], passcode: "passcode-71A9", steps: steps)
    let device = try TestDevice(description)
    var gathered: [Any] = [description, steps, device, device.verifier, device.context]

    let byPasscode = try await device.bind(device.passcode)
    let byPIN = try await device.bind(device.applicationPIN)
    let request = try device.signing(byPIN)
    gathered += [byPasscode, byPIN, request, device.applicationPIN, device.applicationPIN.config]
    gathered.append(try #require(await error { try await device.applicationPIN.authenticate(request) }))
    gathered.append(try #require(await error { try await device.applicationPIN.authenticate(request) }))
    device.environment.clock.advance(by: .seconds(60))

    device.verifier.script([.pin("pin-5E02-right")])
    let open = try device.signing(byPIN)
    let key = try await device.applicationPIN.authenticate(open)
    gathered += [key, try #require(key.verification)]
    device.verifier.script([.pin("pin-5E02-right"), .pin("pin-5E02-new")])
    try await device.applicationPIN.changePIN(
      of: device.owner(), prompt: Prompt(reason: "Change"), deadline: device.environment.clock.uptime + .seconds(60))
    device.verifier.script([.pin("pin"), .pin("pin-5E02-new")])
    let short = try device.registration(of: device.owner("bob"))
    gathered.append(try #require(await error { try await device.applicationPIN.register(short) }))
    gathered += device.environment.events as [Any]
    gathered += device.verifier.prompts as [Any]
    gathered += device.verifier.prompts.map { String(decoding: $0.transcriptLine, as: UTF8.self) } as [Any]
    gathered.append(SecretBytes(Array("pin-5E02-right".utf8)))

    #expect(gathered.count > 25)
    for thing in gathered {
      var dumped = ""
      dump(thing, to: &dumped)
      let texts = [String(describing: thing), String(reflecting: thing), dumped]
      for secret in Self.planted {
        #expect(!texts.contains { $0.contains(secret) }, "\(type(of: thing)) shows \(secret)")
      }
    }
  }

  @Test func theSearchWouldFindASecret() {
    struct Leaky { let pin = "pin-5E02-right" }
    var dumped = ""
    dump(Leaky(), to: &dumped)
    #expect(dumped.contains(Self.planted[2]))
  }
}
