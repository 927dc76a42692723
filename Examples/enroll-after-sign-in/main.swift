// After a sign-in with a password, the person is offered to sign in with a finger next time.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let desk = try await Desk()
let devices = desk.client.trustedDevices
let finger = desk.device.verifier

print("password:", try await desk.client.auth.signIn(identifier: "mira", password: "correct horse").status)

// The server decides whether it is offered, and the flow what comes when: the offer, the session's tasks, the content.
var flow = SignedInFlow(
  session: try await desk.client.auth.session, offersEnrollment: await devices.shouldOfferEnrollment(after: .signIn))
finger.perform(.cancel, .match())
while flow.step == .enrollmentOffer {
  if flow.offerShown() { try await devices.noteOfferShown() }
  do {
    let device = try await devices.enroll(
      identifierHint: "mira@example.com", reason: "Use your finger to sign in.")
    print("enrolled:", device.name ?? "Trusted device", device.algorithm, device.status)
    flow.answered(.enrolled)
  } catch {
    print("not yet:", Desk.code(error))
    flow.answered(SignedInFlow.Answer(error))
  }
}
print("complete:", flow.isComplete)
for prompt in finger.prompts { print("prompt:", prompt.reason, prompt.result ?? "-") }

// For high value: a key that is void as soon as a finger is added, and that no passcode opens.
finger.perform(.match())
try await devices.enroll(policy: .biometryCurrentSet)
print("available:", try await devices.availability().isAvailable)
try finger.enroll("left-thumb")
print("after a finger was added:", try await devices.availability().unavailableReason?.rawValue ?? "-")
print("revoked on the server:", try await devices.reconcile().revoked.count)
