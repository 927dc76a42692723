// An authenticator of an app's own takes part in journeys like any other, and the conformance checks judge it.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

var kiosk = try await Kiosk()
kiosk.binding.factories.register(AuthenticatorType(rawValue: "badge")) { context in
  BadgeAuthenticator(reader: BadgeReader(), context: context)
}
kiosk.binding.types[.biometricOnly] = AuthenticatorType(rawValue: "badge")

print("bind:", try await kiosk.signIn("BindDeviceBiometricOnly"))
print("sign:", try await kiosk.signIn("SignDevice"))

kiosk.binding.factories.register(AuthenticatorType(rawValue: "badge")) { context in
  BadgeAuthenticator(reader: BadgeReader(badge: "noa"), context: context)
}
print("somebody else's badge:", try await kiosk.signIn("SignDevice"))

let violations = try await ConformanceChecks.authenticator { context, _ in
  BadgeAuthenticator(reader: BadgeReader(), context: context)
}
print("violations:", violations.count)
for violation in violations { print(violation) }
