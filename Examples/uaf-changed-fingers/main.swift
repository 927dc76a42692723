// What a new finger does, model by model: the bank's policy alone decides, the app is the same.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let bank = try await Bank()
let models = Bank.models.map(\.aaid).dropFirst()

for aaid in models {
  bank.person.perform(.match())
  print(try await bank.register(aaid))
}

try bank.person.enroll("left-thumb")
print("a finger is enrolled")

for (aaid, behavior) in Bank.models.dropFirst() {
  bank.person.script([.match(finger: "left-thumb")])
  print("\(behavior.name):", try await bank.signIn(aaid))
}

bank.person.script([.match()])
print("again with uvs:", try await bank.signIn("FFFF#B002"))
bank.person.script([.match()])
print("delete, registered anew:", try await bank.register("FFFF#B003"))
