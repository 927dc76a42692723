// A device without a sensor: the device passcode answers where the server asks for "biometric or passcode".
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

var kiosk = try await Kiosk(device: ScriptedDevice(passcode: "482913"))
kiosk.binding.types[.biometricAllowFallback] = .devicePasscode
let person = kiosk.device.verifier

person.perform(.passcode("482913"))
print("bind:", try await kiosk.signIn("BindDevice"))

for key in try await UserKeys(context: kiosk.device.context, realm: "/").active() {
  print("asked for \(key.authenticationType), made by \(key.record.authenticator)")
}

person.perform(.passcode("000000"), .passcode("482913"))
print("sign, one wrong passcode first:", try await kiosk.signIn("SignDevice"))
