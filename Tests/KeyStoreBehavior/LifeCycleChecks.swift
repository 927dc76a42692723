import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore

extension KeyStoreCheck {
  static let message = Array("to be signed".utf8)

  static let lifeCycle: [KeyStoreCheck] = [
    KeyStoreCheck("stagesAKeyThatSignsAndIsNotOffered") { bench in
      let store = try await bench.store()
      let staged = try await bench.stage(store)
      try demand(staged.state, is: .staged, "state")
      try demand(staged.version, is: 1, "version")
      try demand(try await store.record(staged.tag), is: staged, "the record read back")
      try demand(
        try await store.records(matching: KeyQuery(instance: staged.owner.instance)), is: [], "what is offered")
      try demand(try await store.presence(of: staged.tag), "the key is absent")
      let signature = try await store.sign(message, with: staged.tag, ticket: nil)
      try KeyStoreBench.verify(signature, of: message, by: staged)
      try demand(
        bench.events.contains(
          .keyStaged(staged.tag, authenticator: .none, family: .deviceBinding, protection: staged.protection)),
        "no event")
    },

    KeyStoreCheck("keepsEveryFieldOfARecord") { bench in
      let store = try await bench.store()
      let request = KeyRequest(
        owner: bench.owner(family: .webAuthn, party: "example.com", account: nil), algorithms: [.es384],
        slot: "schlüssel", externalID: [0, 255], attributes: [1, 2, 3], counter: .rising,
        secrets: [SecretName(rawValue: "a"): .likeTheKey], journal: [9])
      let access = KeyAccess(gate: .verified([.face, .passcode]), enrollment: .compared)
      let staged = try await store.stage(
        request, as: .biometricAllowFallback, access: access, enrollmentState: EnrollmentState(digest: [7, 7]),
        ticket: nil)
      let record = try unwrap(try await store.record(staged.tag), "the record")
      try demand(record, is: staged, "the record read back")
      try demand(record.owner, is: request.owner, "owner")
      try demand(record.authenticator, is: .biometricAllowFallback, "authenticator")
      try demand(record.access, is: access, "access")
      try demand(
        record.protection, is: KeyProtection(residence: .software, isHardware: false, isSecretWrapped: false),
        "protection")
      try demand(record.algorithm, is: .es384, "algorithm")
      try demand(record.counter, is: .rising, "counter")
      try demand(record.attributes, is: [1, 2, 3], "attributes")
      try demand(record.slot, is: "schlüssel", "slot")
      try demand(record.externalID, is: [0, 255], "external ID")
      try demand(record.enrollmentState, is: EnrollmentState(digest: [7, 7]), "enrollment state")
      try demand(record.createdAt, is: bench.clock.now, "creation")
      try demand(record.journal, is: [9], "journal")
    },

    KeyStoreCheck("anInvalidatedKeyNeverSignsAgain") { bench in
      let store = try await bench.store()
      let secret = SecretName(rawValue: "a")
      let key = try await bench.active(store, bench.request(counter: .rising, secrets: [secret: .likeTheKey]))
      // Ready to sign, as a key in use is.
      _ = try await store.sign(message, with: key.tag, ticket: nil)
      _ = try await store.advance(.key(key.tag))
      try await store.invalidate(key.tag)
      try await store.invalidate(key.tag)
      let record = try unwrap(try await store.record(key.tag), "the record")
      try demand(record.isInvalidated, "it is not marked")
      try demand(record.state, is: .active, "state")
      try demand(record.version, is: key.version + 1, "version")
      try await demandError(.keyInvalidated, "signing") { try await store.sign(message, with: key.tag, ticket: nil) }
      try await demandError(.keyInvalidated, "its secret") {
        try await store.secret(secret, of: key.tag, ticket: nil)
      }
      try demand(try await store.records(matching: KeyQuery(instance: key.owner.instance)), is: [record], "the list")
      try await store.update(key.tag, details: [5], expecting: record.version)
      try demand(try await store.record(key.tag)?.isInvalidated ?? false, "a change of details revived it")
      try await store.delete(key.tag)
      try await store.invalidate(key.tag)
    },

    KeyStoreCheck("commitOffersTheKeyUnderTheServersName") { bench in
      let store = try await bench.store()
      let staged = try await bench.stage(store)
      let active = try await store.commit(staged.tag, externalID: [1], details: [2])
      try demand(active.state, is: .active, "state")
      try demand(active.externalID, is: [1], "external ID")
      try demand(active.details, is: [2], "details")
      try demand(active.journal, is: [], "journal")
      try demand(active.version, is: 2, "version")
      let query = KeyQuery(instance: staged.owner.instance, externalID: [1])
      try demand(try await store.records(matching: query), is: [active], "what is offered")
      try demand(bench.events.contains(.keyCommitted(staged.tag, retired: nil)), "no event")
    },

    KeyStoreCheck("commitRetiresTheHolderOfTheSlot") { bench in
      let store = try await bench.store()
      let old = try await bench.active(store, bench.request(slot: "s"))
      let new = try await bench.stage(store, bench.request(slot: "s"))
      try demand(try await store.record(old.tag)?.state, is: .active, "the old key before")
      try await store.commit(new.tag, externalID: nil, details: [])
      try demand(try await store.record(old.tag)?.state, is: .retired, "the old key after")
      try demand(
        try await store.records(matching: KeyQuery(instance: old.owner.instance)).map(\.tag), is: [new.tag], "offered")
      try demand(bench.events.contains(.keyCommitted(new.tag, retired: old.tag)), "no event")
    },

    KeyStoreCheck("keepsSlotsOfServersAndProtocolsApart") { bench in
      let store = try await bench.store()
      let first = try await bench.active(store, bench.request(slot: "s"))
      let elsewhere = bench.request(bench.owner(instance: "https://other.example"), slot: "s")
      let otherwise = bench.request(bench.owner(family: .uaf), slot: "s")
      let slotless = bench.request()
      for request in [elsewhere, otherwise, slotless, slotless] { _ = try await bench.active(store, request) }
      try demand(try await store.record(first.tag)?.state, is: .active, "the first key")
      try demand(try await store.records(matching: .everything).filter { $0.state == .active }.count, is: 5, "active")
    },

    KeyStoreCheck("committingAgainWithTheSameNameChangesNothing") { bench in
      let store = try await bench.store()
      let staged = try await bench.stage(store)
      let active = try await store.commit(staged.tag, externalID: [1], details: [2])
      try demand(try await store.commit(staged.tag, externalID: [1], details: [3]), is: active, "the second time")
      try demand(try await store.commit(staged.tag, externalID: nil, details: []), is: active, "without a name")
      try await demandError(.invalidKeyState, "another name") {
        try await store.commit(staged.tag, externalID: [9], details: [])
      }
      let named = try await bench.stage(store, bench.request(externalID: "own"))
      try await demandError(.invalidRequest, "a second name") {
        try await store.commit(named.tag, externalID: [9], details: [])
      }
    },

    KeyStoreCheck("namesAreUniqueWithinServerProtocolAndParty") { bench in
      let store = try await bench.store()
      _ = try await bench.stage(store, bench.request(externalID: "n"))
      try await demandError(.keyExists, "staging") { try await bench.stage(store, bench.request(externalID: "n")) }
      let unnamed = try await bench.stage(store)
      try await demandError(.keyExists, "committing") {
        try await store.commit(unnamed.tag, externalID: Array("n".utf8), details: [])
      }
      try demand(try await store.record(unnamed.tag)?.state, is: .staged, "state after refusal")
      _ = try await bench.stage(store, bench.request(bench.owner(party: "/other"), externalID: "n"))
      try demand(try await store.records(matching: .everything).count, is: 3, "keys")
    },

    KeyStoreCheck("refusesRequestsBeyondItsLimits") { bench in
      let store = try await bench.store()
      func refuse(_ what: String, _ bend: (inout KeyRequest) -> Void) async throws {
        var request = bench.request()
        bend(&request)
        try await demandError(.invalidRequest, what) { try await bench.stage(store, request) }
      }
      let long = String(repeating: "x", count: StoreLimits.nameBytes + 1)
      try await refuse("no algorithm") { $0.algorithms = [] }
      try await refuse("attributes") { $0.attributes = [UInt8](repeating: 0, count: StoreLimits.fieldBytes + 1) }
      try await refuse("journal") { $0.journal = [UInt8](repeating: 0, count: StoreLimits.fieldBytes + 1) }
      try await refuse("instance") { $0.owner.instance = long }
      try await refuse("party") { $0.owner.party = long }
      try await refuse("account") { $0.owner.account = Array(long.utf8) }
      try await refuse("slot") { $0.slot = long }
      try await refuse("external ID") { $0.externalID = Array(long.utf8) }
      try await refuse("empty external ID") { $0.externalID = [] }
      try await refuse("secrets") { request in
        for number in 0...StoreLimits.secrets { request.secrets[SecretName(rawValue: "\(number)")] = .likeTheKey }
      }
      try await demandError(.invalidRequest, "a gate without methods") {
        try await bench.stage(store, access: KeyAccess(gate: .verified([])))
      }
      try demand(try await store.records(matching: .everything), is: [], "what was made")
      var largest = bench.request()
      largest.attributes = [UInt8](repeating: 1, count: StoreLimits.fieldBytes)
      largest.journal = largest.attributes
      let record = try await bench.stage(store, largest)
      try demand(try await store.record(record.tag), is: record, "the largest record")
      let active = try await store.commit(record.tag, externalID: nil, details: largest.attributes)
      try await demandError(.invalidRequest, "details") {
        try await store.update(
          record.tag, details: [UInt8](repeating: 0, count: StoreLimits.fieldBytes + 1), expecting: active.version)
      }
    },

    KeyStoreCheck("writesTheLastUseDownNowAndThen") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store)
      try demand(key.lastUsedAt, is: nil, "last use of a fresh key")
      _ = try await store.sign(message, with: key.tag, ticket: nil)
      let first = bench.clock.now
      try demand(try await store.record(key.tag)?.lastUsedAt, is: first, "last use")
      bench.clock.pass(.seconds(5))
      _ = try await store.sign(message, with: key.tag, ticket: nil)
      try demand(try await store.record(key.tag)?.lastUsedAt, is: first, "last use soon after")
      bench.clock.pass(.seconds(3600))
      _ = try await store.sign(message, with: key.tag, ticket: nil)
      try demand(try await store.record(key.tag)?.lastUsedAt, is: bench.clock.now, "last use much later")
      try demand(bench.events.all.filter { $0 == .keyUsed(key.tag) }.count, is: 3, "events")
    },

    KeyStoreCheck("signsWithEveryAlgorithm") { bench in
      let store = try await bench.store()
      for algorithm in SoftwareKeyProvider.allAlgorithms {
        let key = try await bench.active(store, bench.request(algorithms: [algorithm]))
        for _ in 0..<2 {
          let signature = try await store.sign(message, with: key.tag, ticket: nil)
          try KeyStoreBench.verify(signature, of: message, by: key)
        }
      }
    },

    KeyStoreCheck("signsForManyTasksAtOnce") { bench in
      let store = try await bench.store()
      let keys = [try await bench.active(store), try await bench.active(store)]
      try await withThrowingTaskGroup { group in
        for number in 0..<64 {
          group.addTask {
            let key = keys[number % 2]
            let text = Array("message \(number)".utf8)
            try KeyStoreBench.verify(try await store.sign(text, with: key.tag, ticket: nil), of: text, by: key)
          }
        }
        try await group.waitForAll()
      }
    },
  ]
}
