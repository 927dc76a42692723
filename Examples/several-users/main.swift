// Two people share a device; when the server does not say who signs in, the device asks.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let kiosk = try await Kiosk(users: ["mira": "correct horse", "noa": "battery staple"])
let person = kiosk.device.verifier

person.perform(.match(), .match())
print("mira binds:", try await kiosk.signIn("BindDevice"))
print("noa binds:", try await kiosk.signIn("BindDevice", as: "noa", password: "battery staple"))

let keys = try await UserKeys(context: kiosk.device.context, realm: "/").active()
for key in keys { print("key:", key.label) }

if let noa = keys.first(where: { $0.userName == "noa" }) {
  person.perform(.choose(noa.label), .match())
  print("noa chooses her key:", try await kiosk.signIn("SignDeviceUsernameless"))
}

person.perform(.cancel)
print("nobody chooses:", try await kiosk.signIn("SignDeviceUsernameless"))

person.perform(.match())
print("the server names mira:", try await kiosk.signIn("SignDevice", as: "mira"))
