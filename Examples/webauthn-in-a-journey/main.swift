// Register a passkey after a password, sign in with it, lose it, register again.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let kiosk = try await Kiosk()
let finger = kiosk.device.verifier
let devices = try WebAuthnDevices(kiosk.journey, context: kiosk.device.context)

finger.perform(.match(), .match())
print("register:", try await kiosk.signIn("RegisterWebAuthn"))
print("sign in:", try await kiosk.signIn("LoginWebAuthn"))
for device in try await devices.list() { print("the server lists:", device.deviceName) }

// Removing it here does not remove it there.
let authenticator = try await kiosk.webAuthn.platformAuthenticator()
try await authenticator.deleteCredentials(of: "am.example.com")
print("devices listed after deleting it here:", try await devices.list().count)

finger.perform(.approve)
print("sign in without it:", try await kiosk.signIn("LoginWebAuthn"))

finger.perform(.match(), .match())
print("register again:", try await kiosk.signIn("RegisterWebAuthn"))
print("sign in:", try await kiosk.signIn("LoginWebAuthn"))

for device in try await devices.list() {
  let removal = try await devices.delete(device.credentialID)
  print("removed on both sides:", removal.isComplete)
}
for prompt in finger.prompts { print("prompt:", prompt.kind.rawValue, prompt.result ?? "-") }
