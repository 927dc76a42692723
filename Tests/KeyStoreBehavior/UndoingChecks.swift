import AuthenticatorCore

extension KeyStoreCheck {
  /// What undoes a step, and what a step says of a key that is not there.
  static let undoing: [KeyStoreCheck] = [
    KeyStoreCheck("discardDestroysStagedKeysOnly") { bench in
      let store = try await bench.store()
      let staged = try await bench.stage(store)
      let active = try await bench.active(store)
      try await store.discard(staged.tag)
      try demand(try await store.record(staged.tag), is: nil, "the record")
      try await demandError(.keyNotFound, "signing") { try await store.sign(message, with: staged.tag, ticket: nil) }
      try await store.discard(staged.tag)
      try await demandError(.invalidKeyState, "discarding an active key") { try await store.discard(active.tag) }
      try demand(bench.events.all.filter { $0 == .keyDiscarded(staged.tag) }.count, is: 1, "events")
    },

    KeyStoreCheck("restoreBringsTheOldKeyBack") { bench in
      let store = try await bench.store()
      let old = try await bench.active(store, bench.request(slot: "s"))
      let new = try await bench.active(store, bench.request(slot: "s"))
      try await demandError(.invalidKeyState, "a retired key signs") {
        try await store.sign(message, with: old.tag, ticket: nil)
      }
      _ = try await store.sign(message, with: new.tag, ticket: nil)
      try await store.restore(old.tag)
      try demand(try await store.record(old.tag)?.state, is: .active, "the old key")
      try demand(try await store.record(new.tag), is: nil, "the new key")
      try KeyStoreBench.verify(try await store.sign(message, with: old.tag, ticket: nil), of: message, by: old)
      try await demandError(.keyNotFound, "the new key signs") {
        try await store.sign(message, with: new.tag, ticket: nil)
      }
      try await store.restore(old.tag)
      let staged = try await bench.stage(store)
      try await demandError(.invalidKeyState, "restoring a staged key") { try await store.restore(staged.tag) }
      try demand(bench.events.contains(.keyRestored(old.tag)), "no event")
    },

    KeyStoreCheck("exchangeKeepsBothKeys") { bench in
      let store = try await bench.store()
      let old = try await bench.active(store, bench.request(slot: "s"))
      let new = try await bench.active(store, bench.request(slot: "s"))
      for (back, aside) in [(old, new), (new, old)] {
        try await store.exchange(back.tag)
        try demand(try await store.record(back.tag)?.state, is: .active, "the key that is back")
        try demand(try await store.record(aside.tag)?.state, is: .retired, "the other one")
        try KeyStoreBench.verify(try await store.sign(message, with: back.tag, ticket: nil), of: message, by: back)
        try await demandError(.invalidKeyState, "the other one signs") {
          try await store.sign(message, with: aside.tag, ticket: nil)
        }
      }
      try await store.exchange(new.tag)
      try demand(try await store.record(new.tag)?.state, is: .active, "exchanged again")
      let staged = try await bench.stage(store)
      try await demandError(.invalidKeyState, "exchanging a staged key") { try await store.exchange(staged.tag) }
      try await store.delete(old.tag)
      try await demandError(.keyNotFound, "exchanging a deleted key") { try await store.exchange(old.tag) }
      try demand(bench.events.contains(.keyRestored(old.tag)), "no event")
    },

    KeyStoreCheck("aKeyBeingRevokedIsATombstone") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store)
      _ = try await store.sign(message, with: key.tag, ticket: nil)
      try await store.beginRevoking(key.tag)
      try await store.beginRevoking(key.tag)
      try demand(try await store.records(matching: KeyQuery(instance: key.owner.instance)), is: [], "offered")
      try demand(try await store.record(key.tag)?.state, is: .revoking, "state")
      try await demandError(.invalidKeyState, "signing") { try await store.sign(message, with: key.tag, ticket: nil) }
      try await store.delete(key.tag)
      try demand(try await store.record(key.tag), is: nil, "the record")
      try await store.delete(key.tag)
      let staged = try await bench.stage(store)
      try await demandError(.invalidKeyState, "revoking a staged key") { try await store.beginRevoking(staged.tag) }
      try demand(bench.events.all.filter { $0 == .keyDeleted(key.tag) }.count, is: 1, "events")
    },

    KeyStoreCheck("updateComparesVersions") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store)
      let changed = try await store.update(key.tag, details: [5], expecting: key.version)
      try demand(changed.details, is: [5], "details")
      try demand(try await store.record(key.tag), is: changed, "the record")
      try await demandError(.busy, "an old version") {
        try await store.update(key.tag, details: [6], expecting: key.version)
      }
      _ = try await store.sign(message, with: key.tag, ticket: nil)
      try demand(try await store.record(key.tag)?.version, is: changed.version, "the version after a use")
    },

    KeyStoreCheck("anUnknownKeyIsNotFound") { bench in
      let store = try await bench.store()
      let tag = KeyTag(rawValue: "unknown")
      try demand(try await store.record(tag), is: nil, "the record")
      try demand(try await store.presence(of: tag), is: false, "presence")
      try await demandError(.keyNotFound, "sign") { try await store.sign(message, with: tag, ticket: nil) }
      try await demandError(.keyNotFound, "commit") { try await store.commit(tag, externalID: nil, details: []) }
      try await demandError(.keyNotFound, "restore") { try await store.restore(tag) }
      try await demandError(.keyNotFound, "revoke") { try await store.beginRevoking(tag) }
      try await demandError(.keyNotFound, "update") { try await store.update(tag, details: [], expecting: 1) }
      try await demandError(.keyNotFound, "advance") { try await store.advance(.key(tag)) }
      try await demandError(.keyNotFound, "certify") { try await store.certify(tag, qualifyingData: []) }
      try await store.discard(tag)
      try await store.delete(tag)
    },
  ]
}
