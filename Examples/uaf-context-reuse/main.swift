// Users of an older fingerprint login move to FIDO without scanning twice: the app hands its verification over, once.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let bank = try await Bank()

// The app's own login has just verified the person. On Apple platforms this is an LAContext.
bank.person.handOver(ScriptedDevice.Context())
print(try await bank.register("FFFF#B002"))
print("prompts:", bank.person.prompts.count)

// It served one operation: the next one asks.
bank.person.perform(.match())
print(try await bank.signIn("FFFF#B002"))
print("prompts:", bank.person.prompts.count)

// It replaces the scan, not the consent: a payment is shown all the same.
bank.person.handOver(ScriptedDevice.Context())
bank.person.perform(.approve)
print(try await bank.signIn("FFFF#B002", paying: "Pay 42.00 EUR to ACME"))
print("shown:", bank.person.prompts.last?.content ?? "-")
