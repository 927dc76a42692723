import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore

extension KeyStoreCheck {
  private static let domain = SecretDomain(rawValue: "pin/alice")
  private static let pin = "482913"

  static let gates: [KeyStoreCheck] = [
    KeyStoreCheck("aVerifiedKeyWantsOneOfItsMethods") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store, access: KeyAccess(gate: .verified([.fingerprint, .face])))
      func refuse(_ what: String, _ ticket: VerificationTicket?) async throws {
        // Cold and warm.
        try await demandError(.verificationInsufficient, what) {
          try await store.sign(message, with: key.tag, ticket: ticket)
        }
      }
      for _ in 0..<2 {
        try await refuse("no ticket", nil)
        try await refuse("another method", try bench.ticket([.passcode]))
        try await refuse("no method", try bench.ticket([]))
        try await refuse("a lower level", try bench.ticket([.fingerprint], level: .presence))
        let signature = try await store.sign(message, with: key.tag, ticket: try bench.ticket([.passcode, .face]))
        try KeyStoreBench.verify(signature, of: message, by: key)
      }
    },

    KeyStoreCheck("presenceIsEnoughWhereTheGateSaysSo") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store, access: KeyAccess(gate: .verified([.presence])))
      _ = try await store.sign(message, with: key.tag, ticket: try bench.ticket([.presence], level: .presence))
      try await demandError(.verificationInsufficient, "nothing") {
        try await store.sign(message, with: key.tag, ticket: try bench.ticket([.presence], level: .none))
      }
    },

    KeyStoreCheck("oneTicketMakesOneSignature") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store, access: KeyAccess(gate: .verified([.fingerprint])))
      let other = try await bench.active(store, access: KeyAccess(gate: .verified([.fingerprint])))
      let ticket = try bench.ticket()
      _ = try await store.sign(message, with: key.tag, ticket: ticket)
      for tag in [key.tag, other.tag] {
        try await demandError(.verificationSpent, "the second time") {
          try await store.sign(message, with: tag, ticket: ticket)
        }
      }
      let late = try bench.ticket(lasting: .seconds(10))
      bench.clock.pass(.seconds(10))
      try await demandError(.verificationSpent, "too late") {
        try await store.sign(message, with: key.tag, ticket: late)
      }
    },

    KeyStoreCheck("oneTicketMakesOneSignatureAmongManyTasks") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store, access: KeyAccess(gate: .verified([.fingerprint])))
      for _ in 0..<4 {
        let ticket = try bench.ticket()
        let made = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
          for _ in 0..<24 {
            group.addTask { (try? await store.sign(message, with: key.tag, ticket: ticket)) != nil }
          }
          return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        try demand(made, is: 1, "signatures")
      }
    },

    KeyStoreCheck("aTicketForNamedKeysOpensEachOnce") { bench in
      let store = try await bench.store()
      let access = KeyAccess(gate: .verified([.fingerprint]))
      let keys = [
        try await bench.active(store, access: access), try await bench.active(store, access: access),
        try await bench.active(store, access: access),
      ]
      let ticket = try bench.ticket(keys: [keys[0].tag, keys[1].tag])
      _ = try await store.sign(message, with: keys[0].tag, ticket: ticket)
      _ = try await store.sign(message, with: keys[1].tag, ticket: ticket)
      for key in keys {
        try await demandError(.verificationSpent, "again, or not named") {
          try await store.sign(message, with: key.tag, ticket: ticket)
        }
      }
    },

    KeyStoreCheck("aTicketIsSpentOnAnOpenKeyToo") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store)
      let ticket = try bench.ticket()
      _ = try await store.sign(message, with: key.tag, ticket: ticket)
      try await demandError(.verificationSpent, "the second time") {
        try await store.sign(message, with: key.tag, ticket: ticket)
      }
      _ = try await store.sign(message, with: key.tag, ticket: nil)
    },

    KeyStoreCheck("aRefusedTicketIsNotSpent") { bench in
      let store = try await bench.store()
      let face = try await bench.active(store, access: KeyAccess(gate: .verified([.face])))
      let finger = try await bench.active(store, access: KeyAccess(gate: .verified([.fingerprint])))
      let ticket = try bench.ticket([.fingerprint])
      try await demandError(.verificationInsufficient, "the wrong key") {
        try await store.sign(message, with: face.tag, ticket: ticket)
      }
      _ = try await store.sign(message, with: finger.tag, ticket: ticket)
    },

    KeyStoreCheck("aWrappedKeyNeedsItsOpenedDomain") { bench in
      let store = try await bench.store()
      let access = KeyAccess(gate: .secret(domain))
      try await demandError(.verificationInsufficient, "staging without a ticket") {
        try await bench.stage(store, access: access)
      }
      let opened = try await store.create(domain, secret: KeyStoreBench.pin(pin))
      let pinned = Set([VerificationMethod.applicationPIN])
      let staging = try bench.ticket(pinned, authorization: opened)
      let key = try await bench.stage(store, access: access, ticket: staging)
      try demand(key.protection.isSecretWrapped, "the protection says nothing of the PIN")
      // Staging did not spend the ticket.
      let signature = try await store.sign(message, with: key.tag, ticket: staging)
      try KeyStoreBench.verify(signature, of: message, by: key)
      try await demandError(.verificationInsufficient, "no ticket") {
        try await store.sign(message, with: key.tag, ticket: nil)
      }
      try await demandError(.verificationInsufficient, "a ticket without the domain") {
        try await store.sign(message, with: key.tag, ticket: try bench.ticket(pinned))
      }
      try await demandError(.verificationInsufficient, "a lower level") {
        try await store.sign(
          message, with: key.tag, ticket: try bench.ticket(pinned, level: .presence, authorization: opened))
      }
      let other = try await store.create(SecretDomain(rawValue: "pin/bob"), secret: KeyStoreBench.pin(pin))
      try await demandError(.verificationInsufficient, "another domain") {
        try await store.sign(message, with: key.tag, ticket: try bench.ticket(pinned, authorization: other))
      }
      let forged = KeyAuthorization.domain(domain, SecretBytes([UInt8](repeating: 7, count: 48)))
      try await demandError(.integrityFailed, "a forged domain key") {
        try await store.sign(message, with: key.tag, ticket: try bench.ticket(pinned, authorization: forged))
      }
      try await demandError(.keyNotFound, "staging under a forged domain key") {
        try await bench.stage(store, access: access, ticket: try bench.ticket(pinned, authorization: forged))
      }
      let again = try await store.unlock(domain, with: KeyStoreBench.pin(pin))
      for _ in 0..<2 {
        _ = try await store.sign(message, with: key.tag, ticket: try bench.ticket(pinned, authorization: again))
      }
      try await demandError(.verificationInsufficient, "nothing is remembered") {
        try await store.sign(message, with: key.tag, ticket: nil)
      }
    },

    KeyStoreCheck("aKeyOfARemovedDomainNeverOpens") { bench in
      let store = try await bench.store()
      let access = KeyAccess(gate: .secret(domain))
      let first = try await store.create(domain, secret: KeyStoreBench.pin(pin))
      let key = try await bench.stage(store, access: access, ticket: try bench.ticket(authorization: first))
      try await store.remove(domain)
      try demand(try await store.isSet(domain), is: false, "the domain")
      try await demandError(.keyNotFound, "staging under the removed domain") {
        try await bench.stage(store, access: access, ticket: try bench.ticket(authorization: first))
      }
      let second = try await store.create(domain, secret: KeyStoreBench.pin(pin))
      try await demandError(.integrityFailed, "the new domain of that name") {
        try await store.sign(message, with: key.tag, ticket: try bench.ticket(authorization: second))
      }
      try await demandError(.keyNotFound, "staging with the old ticket") {
        try await bench.stage(store, access: access, ticket: try bench.ticket(authorization: first))
      }
    },
  ]

  static let secrets: [KeyStoreCheck] = [
    KeyStoreCheck("secretsOpenLikeTheKeyOrLikeTheRecord") { bench in
      let store = try await bench.store()
      let (guarded, plain) = (SecretName(rawValue: "uv"), SecretName(rawValue: "up"))
      let request = bench.request(secrets: [guarded: .likeTheKey, plain: .likeTheRecord])
      let key = try await bench.active(store, request, access: KeyAccess(gate: .verified([.fingerprint])))
      let open = try await store.secret(plain, of: key.tag, ticket: nil)
      try demand(open.count, is: 32, "length")
      try await demandError(.verificationInsufficient, "no ticket") {
        try await store.secret(guarded, of: key.tag, ticket: nil)
      }
      let ticket = try bench.ticket()
      let secret = try await store.secret(guarded, of: key.tag, ticket: ticket)
      try demand(secret.count, is: 32, "length")
      try demand(!secret.matches(open), "both secrets are the same")
      try demand(try await store.secret(guarded, of: key.tag, ticket: ticket).matches(secret), "another secret")
      _ = try await store.sign(message, with: key.tag, ticket: ticket)
      let named = try bench.ticket(keys: [KeyTag(rawValue: "another")])
      try await demandError(.verificationSpent, "a ticket for another key") {
        try await store.secret(guarded, of: key.tag, ticket: named)
      }
      try await demandError(.invalidRequest, "an unknown secret") {
        try await store.secret(SecretName(rawValue: "none"), of: key.tag, ticket: nil)
      }
      let other = try await bench.active(store, request)
      try demand(!(try await store.secret(plain, of: other.tag, ticket: nil)).matches(open), "two keys share a secret")
    }
  ]
}
