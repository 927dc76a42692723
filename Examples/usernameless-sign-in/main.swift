// Two people share a device, and nobody types a name: whoever signs in chooses a passkey.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let kiosk = try await Kiosk(users: ["mira": "correct horse", "noa": "battery staple"])
let finger = kiosk.device.verifier
let chooser = Chooser()
let devices = try WebAuthnDevices(kiosk.journey, context: kiosk.device.context)

finger.perform(.match(), .match())
print("mira registers:", try await kiosk.signIn("RegisterWebAuthn"))
print("noa registers:", try await kiosk.signIn("RegisterWebAuthn", as: "noa", password: "battery staple"))

for name in ["noa", "mira"] {
  chooser.pressed = name
  finger.perform(.match())
  print("\(name):", try await kiosk.signIn("LoginUsernameless", chooser: chooser))
  print("the session is \(try await devices.user().id)'s")
}

chooser.pressed = nil
print("nobody chooses:", try await kiosk.signIn("LoginUsernameless", chooser: chooser))
print("nobody is asked:", try await kiosk.signIn("LoginUsernameless"))
