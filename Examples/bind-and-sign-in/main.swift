// Bind this device after a password, then sign in with a finger.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let kiosk = try await Kiosk()
let finger = kiosk.device.verifier

finger.perform(.match())
print("bind:", try await kiosk.signIn("BindDevice"))

for key in try await UserKeys(context: kiosk.device.context, realm: "/").active() {
  print("key of \(key.userName): \(key.authenticationType), \(key.record.protection.name), \(key.record.algorithm)")
}

finger.perform(.match())
print("sign:", try await kiosk.signIn("SignDeviceUsernameless"))

finger.perform(.mismatch, .mismatch, .mismatch)
print("a stranger:", try await kiosk.signIn("SignDeviceUsernameless"))

for prompt in finger.prompts { print("prompt:", prompt.kind.rawValue, prompt.result ?? "-") }
