// A PIN that belongs to the app: set while binding, checked by decrypting the key, changed without binding again.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let kiosk = try await Kiosk()
let person = kiosk.device.verifier

person.perform(.pin("2718"))
print("bind:", try await kiosk.signIn("BindDevicePIN"))

person.perform(.pin("0000"), .pin("2718"))
print("sign, one wrong PIN first:", try await kiosk.signIn("SignDevice"))

let authenticator = ApplicationPINAuthenticator(
  config: ApplicationPINConfig(pinCollector: person), context: kiosk.device.context)
let keys = try await UserKeys(context: kiosk.device.context, realm: "/").active()
if let owner = keys.first?.record.owner {
  person.perform(.pin("2718"), .pin("31415"))
  try await authenticator.changePIN(
    of: owner, prompt: Prompt(reason: "Change your PIN"), deadline: kiosk.device.environment.clock.uptime + .seconds(60)
  )
  print("PIN changed, tries left:", try await authenticator.attempts(of: owner)?.remaining ?? 0)
}

person.perform(.pin("2718"), .pin("2718"), .pin("2718"))
print("sign with the old PIN:", try await kiosk.signIn("SignDevice"))

kiosk.device.environment.clock.advance(by: .seconds(3600))
person.perform(.pin("31415"))
print("sign with the new PIN:", try await kiosk.signIn("SignDevice"))
