import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import Testing

@testable import AuthenticatorWebAuthn

@Suite("WebAuthnClient.get") struct ClientGetTests {
  static let caller = WebAuthnCaller(origin: Platform.origin)

  @Test func answersInTheStandardsForm() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await platform.client()
    let made = try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller)
    let json = try await client.get(json: .object(OptionsJSON.request), caller: Self.caller)
    #expect(json["id"] == made["id"] && json["rawId"] == made["id"] && json["type"] == "public-key")
    #expect(json["authenticatorAttachment"] == "platform")
    #expect(json["response"]?["userHandle"] == "YWxpY2U")
    let text = try Base64URL.decode(try #require(json["response"]?["clientDataJSON"]?.stringValue))
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"type":"webauthn.get","challenge":"AAECAwQFBgcICQoLDA0ODw","origin":"https://example.org","crossOrigin":false}"#
    )
  }

  @Test func aCredentialThatIsNotDiscoverableTellsNoUser() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await platform.client()
    var options = OptionsJSON.creation
    options["authenticatorSelection"] = [:]
    let made = try await client.create(json: .object(options), caller: Self.caller)
    options = OptionsJSON.request
    options["allowCredentials"] = [["type": "public-key", "id": try #require(made["id"]), "transports": ["usb"]]]
    let json = try await client.get(json: .object(options), caller: Self.caller)
    #expect(json["response"]?["userHandle"] == nil)
  }

  static let refusals: [ClientCreateTests.Refusal] = [
    .init("no challenge", .type) { $0["challenge"] = nil },
    .init("an empty challenge", .type) { $0["challenge"] = "" },
    .init("a foreign relying party", .security) { $0["rpId"] = "example.net" },
    .init("an address", .security) { $0["rpId"] = "127.0.0.1" },
    .init("a relying party that is a number", .type) { $0["rpId"] = 1 },
    .init("allowed credentials of unknown types only", .notAllowed) {
      $0["allowCredentials"] = [["type": "other", "id": "AA"]]
    },
    .init("an allowed credential without a name", .type) { $0["allowCredentials"] = [["type": "public-key"]] },
    .init("an allowed credential of no bytes", .type) {
      $0["allowCredentials"] = [["type": "public-key", "id": ""]]
    },
    .init("100,000 allowed credentials", .type) {
      $0["allowCredentials"] = .array([JSONValue](repeating: ["type": "public-key", "id": "AA"], count: 100_000))
    },
    .init("prf by credential without a list", .notSupported) {
      $0["extensions"] = ["prf": ["evalByCredential": ["AA": ["first": "AA"]]]]
    },
    .init("prf by a credential that is not listed", .syntax) {
      $0["allowCredentials"] = [["type": "public-key", "id": "AA"]]
      $0["extensions"] = ["prf": ["evalByCredential": ["AQ": ["first": "AA"]]]]
    },
    .init("prf by a credential that is no base64url", .syntax) {
      $0["allowCredentials"] = [["type": "public-key", "id": "AA"]]
      $0["extensions"] = ["prf": ["evalByCredential": ["A*": ["first": "AA"]]]]
    },
    .init("prf by a credential with half of its padding", .syntax) {
      $0["allowCredentials"] = [["type": "public-key", "id": "AA"]]
      $0["extensions"] = ["prf": ["evalByCredential": ["AA=": ["first": "AA"]]]]
    },
    .init("prf by a credential in two forms", .syntax) {
      $0["allowCredentials"] = [["type": "public-key", "id": "AA=="]]
      $0["extensions"] = ["prf": ["evalByCredential": ["AA": ["first": "AA"], "AA==": ["first": "AA"]]]]
    },
    .init("prf by an empty name", .syntax) {
      $0["allowCredentials"] = [["type": "public-key", "id": "AA"]]
      $0["extensions"] = ["prf": ["evalByCredential": ["": ["first": "AA"]]]]
    },
    .init("support for large blobs", .notSupported) { $0["extensions"] = ["largeBlob": ["support": "required"]] },
    .init("reading and writing a large blob", .notSupported) {
      $0["allowCredentials"] = [["type": "public-key", "id": "AA"]]
      $0["extensions"] = ["largeBlob": ["read": true, "write": "AA"]]
    },
    .init("writing a large blob of any credential", .notSupported) {
      $0["extensions"] = ["largeBlob": ["write": "AA"]]
    },
    .init("a foreign AppID", .security) { $0["extensions"] = ["appid": "https://example.net/app"] },
    .init("an AppID over plain http", .security) { $0["extensions"] = ["appid": "http://example.org/app"] },
  ]

  @Test(arguments: refusals)
  func refusesWithItsName(_ refusal: ClientCreateTests.Refusal) async throws {
    let platform = try Platform(.match())
    let client = try await platform.client()
    var options = OptionsJSON.request
    refusal.bend(&options)
    let json = JSONValue.object(options)
    #expect(await name { try await client.get(json: json, caller: Self.caller) } == refusal.name)
    #expect(platform.promptKinds.isEmpty)
  }

  @Test func everyRefusalAtTheAuthenticatorIsToldAlike() async throws {
    let platform = try Platform(.match(), .cancel, .mismatch, .mismatch, .mismatch, .approve)
    let client = try await platform.client()
    _ = try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller)
    for code: AuthenticatorError.Code in [.userCanceled, .userVerificationFailed] {
      let failure = await error { try await client.get(json: .object(OptionsJSON.request), caller: Self.caller) }
      #expect(failure?.name == .notAllowed && failure?.cause?.code == code && failure?.reason == "")
    }
    try await client.authenticator.deleteCredentials(of: "example.org")
    let failure = await error { try await client.get(json: .object(OptionsJSON.request), caller: Self.caller) }
    #expect(failure?.name == .notAllowed && failure?.cause?.code == .keyNotFound && failure?.reason == "")
  }

  // MARK: Mediation

  @Test func immediateMediationWithoutACredentialShowsNothing() async throws {
    let platform = try Platform(.approve)
    let client = try await platform.client()
    let failure = await error {
      try await client.get(json: .object(OptionsJSON.request), caller: Self.caller, mediation: .immediate)
    }
    #expect(failure?.name == .notAllowed && failure?.cause?.code == .keyNotFound)
    #expect(platform.promptKinds.isEmpty)
  }

  @Test func conditionalMediationSuggestsEvenASingleCredential() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await platform.client()
    client.authenticator.selectionDelegate = FirstSelection()
    let made = try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller)
    let json = try await client.get(
      json: .object(OptionsJSON.request), caller: Self.caller, mediation: .conditional)
    #expect(json["id"] == made["id"])
  }

  @Test func inConditionalMediationTheListIsAFilter() async throws {
    let platform = try Platform(.match(), .match(), .match())
    let client = try await platform.client()
    client.authenticator.selectionDelegate = FirstSelection()
    _ = try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller)
    var options = OptionsJSON.creation
    options["user"] = ["id": "Ym9i", "name": "bob", "displayName": "Bob"]
    let bob = try await client.create(json: .object(options), caller: Self.caller)
    options = OptionsJSON.request
    options["allowCredentials"] = [["type": "public-key", "id": try #require(bob["id"])]]
    let json = try await client.get(json: .object(options), caller: Self.caller, mediation: .conditional)
    #expect(json["response"]?["userHandle"] == "Ym9i")
  }

  @Test func conditionalMediationHasNoTimeLimitAndWaitsWithoutCredentials() async throws {
    let platform = try Platform()
    let clock = platform.device.environment.clock
    let task = Task {
      await name {
        try await platform.client().get(
          json: .object(OptionsJSON.request), caller: Self.caller, mediation: .conditional)
      }
    }
    await clock.waitForSleepers(3)
    clock.advance(by: .seconds(100_000))
    task.cancel()
    #expect(await task.value == .abort)
    #expect(platform.promptKinds.isEmpty)
  }

  // MARK: Overlap

  @Test @MainActor func aButtonTakesThePlaceOfASuggestion() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await platform.client()
    _ = try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller)
    let silent = SilentSelection()
    client.authenticator.selectionDelegate = silent
    let suggestion = Task {
      await name {
        try await client.get(json: .object(OptionsJSON.request), caller: Self.caller, mediation: .conditional)
      }
    }
    await silent.waitUntilAsked()
    let json = try await client.get(json: .object(OptionsJSON.request), caller: Self.caller)
    #expect(json["response"]?["userHandle"] == "YWxpY2U")
    #expect(await suggestion.value == .abort)
  }

  @Test @MainActor func aLaterRequestEndsTheEarlierOneAndNothingElse() async throws {
    let platform = try Platform(.noAnswer)
    let client = try await platform.client()
    let clock = platform.device.environment.clock
    let first = Task {
      await name { try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller) }
    }
    await clock.waitForSleepers(1)
    // The deadline may be waited for before the person is.
    while platform.device.verifier.prompts.isEmpty { await Task.yield() }
    platform.device.verifier.perform(.match())
    let second = Task {
      await name { try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller) }
    }
    #expect(await first.value == .abort)
    #expect(await second.value == nil)
    #expect(try await platform.records().map(\.state) == [.active])
  }

  @Test @MainActor func aSuggestionNeverTakesThePlaceOfADialog() async throws {
    let platform = try Platform(.noAnswer)
    let client = try await platform.client()
    let clock = platform.device.environment.clock
    let dialog = Task {
      await name { try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller) }
    }
    await clock.waitForSleepers(1)
    let failure = await error {
      try await client.get(json: .object(OptionsJSON.request), caller: Self.caller, mediation: .conditional)
    }
    #expect(failure?.name == .notAllowed && failure?.cause?.code == .busy)
    dialog.cancel()
    #expect(await dialog.value == .abort)
  }
}

private struct FirstSelection: CredentialSelectionDelegate {
  func selectCredential(
    among candidates: [PublicKeyCredentialSource], deadline: Duration
  ) async throws -> CredentialID? { candidates.first?.id }
}

/// Waits for an answer that never comes.
@MainActor private final class SilentSelection: @MainActor CredentialSelectionDelegate {
  private var isAsked = false
  private var waiting: CheckedContinuation<Void, Never>?

  @MainActor func selectCredential(
    among candidates: [PublicKeyCredentialSource], deadline: Duration
  ) async throws -> CredentialID? {
    isAsked = true
    waiting?.resume()
    waiting = nil
    try await Task.sleep(for: .seconds(1000))
    return nil
  }

  func waitUntilAsked() async {
    guard !isAsked else { return }
    await withCheckedContinuation { waiting = $0 }
  }
}
