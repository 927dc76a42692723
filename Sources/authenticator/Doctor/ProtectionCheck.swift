import AuthenticatorCore
import AuthenticatorKeyStore

/// What would hold a new key.
struct ProtectionCheck {
  let allowsSoftwareKeys: Bool
  let environment: AuthenticatorEnvironment

  func run() async -> Finding {
    do {
      // The same providers as every store of this tool; asking makes nothing.
      let store = try InMemoryKeyStore(environment: environment)
      let owner = KeyOwner(instance: "doctor", family: .deviceBinding, party: "/", account: nil)
      let request = KeyRequest(owner: owner, algorithms: [.es256])
      let rule = { (requiresHardware: Bool) in
        KeyAccess(gate: .verified([.passcode]), requiresHardware: requiresHardware)
      }
      if let protection = await store.prospectiveProtection(for: request, access: rule(true)) {
        return .ok("keyProtection", "new keys are held by \(protection.name)")
      }
      guard let protection = await store.prospectiveProtection(for: request, access: rule(false)) else {
        return .fault("keyProtection", "no key can be made", fix: "reinstall the tool: it has no key provider")
      }
      guard allowsSoftwareKeys else {
        return .fault(
          "keyProtection", "there is no key hardware, so biometric and passcode keys are refused",
          fix: "give --allow-software-keys where a copy of the store file is no danger, such as in development")
      }
      return .ok("keyProtection", "new keys are held by \(protection.name), which was allowed")
    } catch {
      let failure = Failure(error)
      return .fault("keyProtection", "\(failure.message) (\(failure.code))", fix: "free memory and try again")
    }
  }
}
