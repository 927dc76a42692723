// Registers a finger at a bank with FIDO UAF, signs in with it, and forgets it again.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let bank = try await Bank()

bank.person.perform(.match())
print("register:", try await bank.register("FFFF#B002"))

bank.person.perform(.mismatch, .match())
print("sign in:", try await bank.signIn("FFFF#B002"))

bank.person.perform(.cancel)
print("canceled:", try await bank.signIn("FFFF#B002"))

print("deregister:", try await bank.deregister())
