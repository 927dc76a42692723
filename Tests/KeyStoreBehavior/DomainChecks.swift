import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore

extension KeyStoreCheck {
  private static let domain = SecretDomain(rawValue: "pin/alice")
  private static let right = KeyStoreBench.pin("482913")
  private static let wrong = KeyStoreBench.pin("482914")

  /// Enters a wrong PIN; returns the error.
  @discardableResult
  private static func miss(_ store: any KeyStore) async throws -> AuthenticatorError {
    try await demandError(.userVerificationFailed, "a wrong PIN") { try await store.unlock(domain, with: wrong) }
  }

  static let domains: [KeyStoreCheck] = [
    KeyStoreCheck("aDomainOpensWithItsPINOnly") { bench in
      let store = try await bench.store()
      try demand(try await store.isSet(domain), is: false, "before")
      try await demandError(.keyNotFound, "no PIN yet") { try await store.unlock(domain, with: right) }
      try await demandError(.keyNotFound, "no attempts yet") { try await store.attempts(of: domain) }
      _ = try await store.create(domain, secret: right)
      try demand(try await store.isSet(domain), "the domain is not set")
      try await demandError(.keyExists, "twice") { try await store.create(domain, secret: wrong) }
      _ = try await store.unlock(domain, with: right)
      let error = try await miss(store)
      try demand(error.attemptsRemaining, is: AttemptPolicy.standard.limit - 1, "attempts left")
      try await demandError(.pinRejected, "an empty PIN") { try await store.unlock(domain, with: SecretBytes([])) }
      try demand(try await store.attempts(of: domain).failures, is: 1, "failures")
    },

    KeyStoreCheck("aSuccessForgetsFailures") { bench in
      let store = try await bench.store()
      _ = try await store.create(domain, secret: right)
      try await miss(store)
      try await miss(store)
      try demand(
        try await store.attempts(of: domain),
        is: AttemptState(failures: 2, remaining: AttemptPolicy.standard.limit - 2, retryAfter: nil), "attempts")
      _ = try await store.unlock(domain, with: right)
      try demand(
        try await store.attempts(of: domain),
        is: AttemptState(failures: 0, remaining: AttemptPolicy.standard.limit, retryAfter: nil), "attempts")
      try demand(
        bench.events.contains(.attemptFailed(remaining: AttemptPolicy.standard.limit - 2)), "no event")
    },

    KeyStoreCheck("failuresLeadToPausesThatNoClockShortens") { bench in
      let store = try await bench.store()
      _ = try await store.create(domain, secret: right)
      for _ in 0..<2 { try await miss(store) }
      let third = try await miss(store)
      try demand(third.retryAfter, is: .seconds(5), "the first pause")
      func refused(_ what: String) async throws -> Duration {
        let error = try await demandError(.lockedOut, what) { try await store.unlock(domain, with: right) }
        return try unwrap(error.retryAfter, "the time to wait")
      }
      try demand(try await refused("at once"), is: .seconds(5), "the wait")
      bench.clock.pass(.seconds(2))
      try demand(try await refused("too early"), is: .seconds(3), "the wait")
      try demand(try await store.attempts(of: domain).failures, is: 3, "a refusal was paid for")
      // Forward by a day: the time since boot knows better.
      bench.clock.setBack(.seconds(-86_400))
      try demand(try await refused("clock set forward"), is: .seconds(3), "the wait")
      // And back: the pause starts anew and does not last until the clock has caught up.
      bench.clock.setBack(.seconds(2 * 86_400))
      try demand(try await refused("clock set back"), is: .seconds(5), "the wait")
      bench.clock.pass(.seconds(4))
      try demand(try await refused("still"), is: .seconds(1), "the wait")
      // A machine that was switched off for long and is up for three seconds has vouched for three seconds.
      bench.clock.restart(off: .seconds(100), uptime: .seconds(3))
      try demand(try await refused("restarted"), is: .seconds(2), "the wait")
      bench.clock.pass(.seconds(2))
      try demand(try await store.attempts(of: domain).retryAfter, is: nil, "the wait is over")
      try await miss(store)
      let state = try await store.attempts(of: domain)
      try demand(state.retryAfter, is: .seconds(15), "the second pause")
      bench.clock.pass(.seconds(15))
      _ = try await store.unlock(domain, with: right)
      try demand(try await store.attempts(of: domain).failures, is: 0, "failures after a success")
    },

    KeyStoreCheck("tooManyFailuresLockForGood") { bench in
      let store = try await bench.store()
      let opened = try await store.create(domain, secret: right)
      let key = try await bench.stage(
        store, access: KeyAccess(gate: .secret(domain)), ticket: try bench.ticket(authorization: opened))
      var last: AuthenticatorError?
      for _ in 0..<AttemptPolicy.standard.limit {
        last = try await miss(store)
        bench.clock.pass(.seconds(7200))
      }
      try demand(last?.attemptsRemaining, is: 0, "attempts left")
      try demand(last?.retryAfter, is: nil, "a wait that does not help")
      for _ in 0..<2 {
        let error = try await demandError(.lockedOut, "the right PIN") { try await store.unlock(domain, with: right) }
        try demand(error.retryAfter, is: nil, "a wait that does not help")
        bench.clock.pass(.seconds(86_400))
      }
      try await demandError(.lockedOut, "a change") {
        try await store.change(domain, from: right, to: wrong) as Void
      }
      try demand(try await store.attempts(of: domain).remaining, is: 0, "attempts left")
      try demand(try await store.record(key.tag) != nil, "a lockout deleted a key")
      try demand(bench.events.contains(.lockedOut), "no event")
    },

    KeyStoreCheck("everyVerdictIsPaidFor") { bench in
      let store = try await bench.store()
      _ = try await store.create(domain, secret: right)
      let verdicts = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
        for _ in 0..<12 {
          group.addTask {
            do {
              _ = try await store.unlock(domain, with: wrong)
              return true
            } catch let error as AuthenticatorError { return error.code == .userVerificationFailed } catch {
              return true
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      // The third failure starts a pause.
      try demand(verdicts, is: 3, "verdicts")
      try demand(try await store.attempts(of: domain).failures, is: 3, "failures")
    },

    KeyStoreCheck("aChangedPINOpensTheSameKeys") { bench in
      let store = try await bench.store()
      let opened = try await store.create(domain, secret: right)
      let access = KeyAccess(gate: .secret(domain))
      let key = try await bench.stage(store, access: access, ticket: try bench.ticket(authorization: opened))
      try await demandError(.userVerificationFailed, "a wrong old PIN") {
        try await store.change(domain, from: wrong, to: wrong) as Void
      }
      try demand(try await store.attempts(of: domain).failures, is: 1, "failures")
      try await store.change(domain, from: right, to: wrong)
      try demand(try await store.attempts(of: domain).failures, is: 0, "failures after the change")
      try await demandError(.userVerificationFailed, "the old PIN") { try await store.unlock(domain, with: right) }
      let again = try await store.unlock(domain, with: wrong)
      let signature = try await store.sign(message, with: key.tag, ticket: try bench.ticket(authorization: again))
      try KeyStoreBench.verify(signature, of: message, by: key)
    },

    KeyStoreCheck("domainsAreIndependent") { bench in
      let store = try await bench.store()
      let other = SecretDomain(rawValue: "pin/bob")
      _ = try await store.create(domain, secret: right)
      _ = try await store.create(other, secret: wrong)
      try await miss(store)
      try demand(try await store.attempts(of: other).failures, is: 0, "the other domain's failures")
      _ = try await store.unlock(other, with: wrong)
      try demand(try await store.attempts(of: domain).failures, is: 1, "failures")
      try await store.remove(other)
      try demand(try await store.isSet(domain), "the other domain was removed too")
    },
  ]
}
