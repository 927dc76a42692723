// A passkey from both sides, without a journey: client and authenticator here, the relying party there.
import AuthenticatorCoding
import AuthenticatorKit
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import ExampleSupport

let kiosk = try await Kiosk()
let client = WebAuthnClient(authenticator: try await kiosk.webAuthn.platformAuthenticator())
let caller = WebAuthnCaller(origin: "https://example.org")
let expected: JSONObject = [
  "challenge": "AAECAwQFBgcICQoLDA0ODw", "origins": ["https://example.org"], "rpId": "example.org",
  "userVerification": "required",
]
kiosk.device.verifier.perform(.match(), .match())

let registration = try await client.create(
  json: [
    "challenge": "AAECAwQFBgcICQoLDA0ODw", "rp": ["id": "example.org", "name": "Example"],
    "user": ["id": "bWlyYQ", "name": "mira", "displayName": "Mira"],
    "pubKeyCredParams": [["type": "public-key", "alg": -7]], "attestation": "direct",
    "authenticatorSelection": ["residentKey": "required", "userVerification": "required"],
  ], caller: caller)
var expectation = expected
expectation["attestation"] = "direct"
let registered = try RegistrationExpectation(json: .object(expectation))
  .verify(ReceivedRegistration(json: registration), at: kiosk.device.environment.clock.now.seconds)
print("registered: \(registered.credential.attestation.format) attestation, counter \(registered.credential.signCount)")

let assertion = try await client.get(
  json: ["challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "example.org", "userVerification": "required"], caller: caller)
let signedIn = try AuthenticationExpectation(json: .object(expected))
  .verify(ReceivedAuthentication(json: assertion), with: registered.credential)
print(
  "signed in: user \(assertion["response"]?["userHandle"]?.stringValue ?? "-"), counter \(signedIn.credential.signCount)"
)

do {
  _ = try await client.get(
    json: ["challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "example.org"],
    caller: WebAuthnCaller(origin: "https://example.org.evil.test"))
} catch let error as WebAuthnError {
  print("another site: \(error.name)")
}
