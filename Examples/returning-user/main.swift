// A returning user signs in with a finger, and with a password when that does not work.
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let desk = try await Desk()
let clerk = desk.client
let finger = desk.device.verifier

try await clerk.auth.signIn(identifier: "mira", password: "correct horse")
finger.perform(.match())
let enrolled = try await clerk.trustedDevices.enroll()
try await clerk.auth.signOut()

/// What the start screen's two buttons do.
@MainActor func signIn() async throws {
  if try await clerk.trustedDevices.availability().isAvailable {
    do {
      let signIn = try await clerk.auth.signInWithTrustedDevice(reason: "Sign in to the kiosk.")
      print("  finger:", signIn.status)
      if signIn.status == .complete { return }
    } catch {
      // Another way of signing in stays on the screen.
      print("  finger:", Desk.code(error))
    }
  } else {
    print("  no finger: this installation is not enrolled")
  }
  print("  password:", try await clerk.auth.signIn(identifier: "mira", password: "correct horse").status)
}

print("with the right finger")
finger.perform(.match())
try await signIn()
try await clerk.auth.signOut()

print("with a change of mind")
finger.perform(.cancel)
try await signIn()
try await clerk.auth.signOut()

print("after it was revoked from another device")
try await desk.anotherDevice().trustedDevices.revoke(id: enrolled.id)
finger.perform(.match())
try await signIn()
try await clerk.auth.signOut()

print("once more")
try await signIn()
