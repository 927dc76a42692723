// A user sees the devices that may sign in, and takes the right from one of them.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let desk = try await Desk()
let devices = desk.client.trustedDevices
try await desk.client.auth.signIn(identifier: "mira", password: "correct horse")
desk.device.verifier.perform(.match())
try await devices.enroll()
let other = try await desk.anotherDevice()
try await other.trustedDevices.enroll()

@MainActor func show() async throws {
  let listed = try await devices.list().map { $0.name ?? "Trusted device" }
  print("devices:", listed.isEmpty ? "none" : listed.sorted().joined(separator: ", "))
}

try await show()
for device in try await devices.list() where device.name == "Another device" {
  print("revoked:", try await devices.revoke(id: device.id).status)
}
try await show()

// Deleting only the key here would leave the server's credential behind; revoking takes both.
print("this one:", try await devices.revokeCurrentDeviceCredential()?.status ?? "-")
print("available:", try await devices.availability().unavailableReason ?? "yes")
try await show()

// The other device learns of it when it is used, and cleans up.
print("over there:", try await other.trustedDevices.availability().unavailableReason ?? "yes")
let report = try await other.trustedDevices.reconcile()
print("reconciled:", report.removed.map(\.reason.rawValue))
