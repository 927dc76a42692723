// A payment that the person reads and confirms; the bank verifies that exactly this text was signed.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let bank = try await Bank()
bank.person.perform(.match())
print(try await bank.register("FFFF#B004"))

bank.person.perform(.approve, .match())
print("approved:", try await bank.signIn("FFFF#B004", paying: "Pay 42.00 EUR to ACME"))

bank.person.perform(.refuse)
print("refused:", try await bank.signIn("FFFF#B004", paying: "Pay 4200.00 EUR to ACNE"))

bank.person.perform(.approve, .fallback, .passcode("482913"))
print("with the passcode:", try await bank.signIn("FFFF#B004", paying: "Pay 7.50 EUR to Cafe"))

for prompt in bank.person.prompts {
  print("\(prompt.kind.rawValue): \(prompt.content ?? prompt.reason), \(prompt.result ?? "-")")
}
