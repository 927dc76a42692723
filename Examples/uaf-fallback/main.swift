// A button in the biometric prompt that leads to another way of signing in.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let bank = try await Bank()
bank.person.perform(.match(), .passcode("482913"))
print(try await bank.register("FFFF#B002"))
print(try await bank.register("FFFF#B001"))

// The app passes it along; the server's message knows nothing of it.
let extras = UAFExtras([.fallback(title: "Use alternate authentication")])
bank.person.perform(.mismatch, .fallback)
var outcome = try await bank.signIn("FFFF#B002", extras: extras)
print("button:", bank.person.prompts.last?.fallbackTitle ?? "-")
print("result:", outcome)

// The alternative is the app's choice: here another authenticator of the same account.
if outcome == UAFOutcome.fallback.rawValue {
  bank.person.perform(.passcode("482913"))
  outcome = try await bank.signIn("FFFF#B001")
}
print("with the passcode:", outcome)

// Who cancels the scan is offered the button once more.
bank.person.perform(.cancel, .fallback)
print("canceled, then the button:", try await bank.signIn("FFFF#B002", extras: extras))
bank.person.perform(.cancel, .cancel)
print("canceled twice:", try await bank.signIn("FFFF#B002", extras: extras))
