// A finger is added: the key of "biometric or passcode" is gone, and binding again repairs it.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let kiosk = try await Kiosk()
let finger = kiosk.device.verifier
let keys = UserKeys(context: kiosk.device.context, realm: "/")

finger.perform(.match())
print("bind:", try await kiosk.signIn("BindDevice"))

try finger.enroll("left-thumb")
print("sign after a finger was added:", try await kiosk.signIn("SignDevice"))
print("keys left:", try await keys.active().count)

finger.perform(.match())
print("bind again:", try await kiosk.signIn("BindDevice"))

finger.perform(.cancel)
print("a re-bind that is cancelled:", try await kiosk.signIn("BindDevice"))

finger.perform(.match(finger: "left-thumb"))
print("the key from before still signs:", try await kiosk.signIn("SignDevice"))
