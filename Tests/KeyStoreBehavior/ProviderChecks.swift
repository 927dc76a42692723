import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore

extension KeyStoreCheck {
  static let providers: [KeyStoreCheck] = [
    KeyStoreCheck("theStrongestProviderGoesFirstThenTheServersOrder") { bench in
      let store = try await bench.store([SoftwareKeyProvider(), EnclaveStandIn()])
      func residence(_ algorithms: [SignatureAlgorithm]) async throws -> KeyRecord {
        let request = bench.request(algorithms: algorithms)
        let expected = await store.prospectiveProtection(for: request, access: KeyAccess(gate: .open))
        let record = try await bench.stage(store, request)
        try demand(record.protection, is: try unwrap(expected, "the prospect"), "the protection")
        return record
      }
      let mixed = try await residence([.rs256, .es256])
      try demand(mixed.protection.residence, is: .secureEnclave, "residence")
      try demand(mixed.algorithm, is: .es256, "algorithm")
      let soft = try await residence([.es384, .edDSA])
      try demand(soft.protection.residence, is: .software, "residence")
      try demand(soft.algorithm, is: .es384, "algorithm")
    },

    KeyStoreCheck("requiringHardwareRefusesRatherThanDowngrades") { bench in
      let soft = try await bench.store()
      let strict = KeyAccess(gate: .open, requiresHardware: true)
      for (request, access) in [
        (bench.request(requiresHardware: true), KeyAccess(gate: .open)), (bench.request(), strict),
      ] {
        try demand(await soft.prospectiveProtection(for: request, access: access), is: nil, "the prospect")
        try await demandError(.hardwareRequired, "software only") {
          try await bench.stage(soft, request, access: access)
        }
      }
      try await demandError(.unsupportedAlgorithm, "an unknown algorithm") {
        try await bench.stage(soft, bench.request(algorithms: [SignatureAlgorithm(rawValue: "XX")]))
      }
      let both = try await bench.store([SoftwareKeyProvider(), EnclaveStandIn()])
      let request = bench.request(algorithms: [.rs256], requiresHardware: true)
      try demand(await both.prospectiveProtection(for: request, access: strict), is: nil, "the prospect")
      try await demandError(.unsupportedAlgorithm, "no hardware for it") { try await bench.stage(both, request) }
      try demand(try await both.records(matching: .everything), is: [], "what was made")
    },

    KeyStoreCheck("aFailingStrongProviderIsNotReplacedByAWeakOne") { bench in
      let enclave = EnclaveStandIn()
      let store = try await bench.store([SoftwareKeyProvider(), enclave])
      enclave.fail(.hardwareLockedOut)
      try await demandError(.hardwareLockedOut, "making a key") { try await bench.stage(store) }
      try demand(try await store.records(matching: .everything), is: [], "what was made")
    },

    KeyStoreCheck("aPromptInsideTheProviderAnswersInItsOwnWords") { bench in
      let enclave = EnclaveStandIn()
      let store = try await bench.store([enclave])
      let key = try await bench.active(store)
      for _ in 0..<2 {
        let signature = try await store.sign(message, with: key.tag, ticket: nil)
        try KeyStoreBench.verify(signature, of: message, by: key)
      }
      try demand(enclave.prompts, is: 2, "prompts")
      for code in [AuthenticatorError.Code.userCanceled, .lockedOut, .hardwareLockedOut] {
        enclave.fail(code)
        try await demandError(code, "signing") { try await store.sign(message, with: key.tag, ticket: nil) }
      }
      enclave.fail(.storageFailed)
      try await demandError(.storageFailed, "presence cannot be told") { try await store.presence(of: key.tag) }
      try demand(try await store.record(key.tag)?.state, is: .active, "the record after failures")
    },

    KeyStoreCheck("outsideObjectsComeAndGoWithTheirRecords") { bench in
      let token = TokenStandIn()
      let store = try await bench.store([token])
      let key = try await bench.active(store, bench.request(slot: "s"))
      try demand(token.names, is: [key.tag], "objects")
      try demand(try await store.presence(of: key.tag), "the object is absent")
      let signature = try await store.sign(message, with: key.tag, ticket: nil)
      try KeyStoreBench.verify(signature, of: message, by: key)
      try demand(
        try await store.certify(key.tag, qualifyingData: [5])?.statement, is: Array(key.tag.rawValue.utf8) + [5],
        "the statement")
      let successor = try await bench.active(store, bench.request(slot: "s"))
      try await store.restore(key.tag)
      try demand(token.names, is: [key.tag], "objects after the successor was undone")
      try demand(try await store.record(successor.tag), is: nil, "the successor")
      let staged = try await bench.stage(store)
      try await store.discard(staged.tag)
      try await store.delete(key.tag)
      try demand(token.names, is: [], "objects")
      try demand(try await store.records(matching: .everything), is: [], "records")
    },

    KeyStoreCheck("anOutsideObjectThatStaysKeepsItsRecord") { bench in
      let token = TokenStandIn()
      let store = try await bench.store([token])
      let key = try await bench.active(store)
      for fault in [TokenStandIn.Fault.destroy, .destroyForgets] {
        token.set([fault])
        try await demandError(.storageFailed, "deleting") { try await store.delete(key.tag) }
        try demand(try await store.record(key.tag)?.state, is: .revoking, "the record")
        try await demandError(.invalidKeyState, "signing") { try await store.sign(message, with: key.tag, ticket: nil) }
      }
      token.set([.unplugged])
      try await demandError(.storageFailed, "presence cannot be told") { try await store.presence(of: key.tag) }
      token.set([])
      try await store.delete(key.tag)
      try demand(token.names, is: [], "objects")
      try demand(try await store.record(key.tag), is: nil, "the record")
    },

    KeyStoreCheck("aFailedCreationLeavesNoObject") { bench in
      let token = TokenStandIn()
      let store = try await bench.store([token])
      for fault in [TokenStandIn.Fault.make, .makeAfterwards] {
        token.set([fault])
        try await demandError(.storageFailed, "staging") { try await bench.stage(store) }
        try demand(token.names, is: [], "objects")
        try demand(try await store.records(matching: .everything), is: [], "records")
      }
      // A name that is taken is found out only after the object was made.
      token.set([])
      _ = try await bench.stage(store, bench.request(externalID: "n"))
      try await demandError(.keyExists, "staging") { try await bench.stage(store, bench.request(externalID: "n")) }
      try demand(token.names.count, is: 1, "objects")
    },
  ]
}
