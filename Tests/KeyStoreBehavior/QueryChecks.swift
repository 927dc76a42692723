import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore

extension KeyStoreCheck {
  static let queries: [KeyStoreCheck] = [
    KeyStoreCheck("everyGivenFieldMustBeEqual") { bench in
      let store = try await bench.store()
      let base = try await bench.active(store, bench.request(slot: "s", externalID: "n"))
      let variants = [
        bench.request(bench.owner(instance: "https://other.example"), slot: "s", externalID: "n"),
        bench.request(bench.owner(family: .uaf), slot: "s", externalID: "n"),
        bench.request(bench.owner(party: "/alpha"), slot: "t", externalID: "n"),
        bench.request(bench.owner(account: "bob"), slot: "u", externalID: "m"),
        bench.request(bench.owner(account: nil), slot: nil, externalID: "l"),
      ]
      for variant in variants { _ = try await bench.active(store, variant) }
      let instance = base.owner.instance
      func count(_ query: KeyQuery, _ expected: Int, _ what: String) async throws {
        // The second answer may come from what is remembered.
        for _ in 0..<2 { try demand(try await store.records(matching: query).count, is: expected, what) }
      }
      try await count(KeyQuery(instance: instance), 5, "instance")
      try await count(KeyQuery(instance: instance, family: .deviceBinding), 4, "family")
      try await count(KeyQuery(instance: instance, party: "/"), 4, "party")
      try await count(KeyQuery(instance: instance, family: .deviceBinding, party: "/"), 3, "family and party")
      try await count(KeyQuery(instance: instance, account: Array("alice".utf8)), 3, "account")
      try await count(KeyQuery(instance: instance, slot: "s"), 2, "slot")
      try await count(KeyQuery(instance: instance, externalID: Array("n".utf8)), 3, "external ID")
      try await count(KeyQuery(instance: instance, authenticator: AuthenticatorType.none), 5, "authenticator")
      try await count(KeyQuery(instance: instance, authenticator: .biometricOnly), 0, "another authenticator")
      try await count(KeyQuery(instance: "https://nobody.example"), 0, "an unknown instance")
      try await count(KeyQuery(instance: instance, states: []), 0, "no state")
      try await count(KeyQuery(instance: instance, states: [.staged, .retired, .revoking]), 0, "other states")
      let exact = KeyQuery(
        instance: instance, family: .deviceBinding, party: "/", account: Array("alice".utf8),
        authenticator: AuthenticatorType.none,
        slot: "s", externalID: Array("n".utf8))
      try demand(try await store.records(matching: exact), is: [base], "everything given")
      try await count(.everything, 6, "everything")
    },

    KeyStoreCheck("listsInOrderOfCreation") { bench in
      let store = try await bench.store()
      var tags: [KeyTag] = []
      for number in 0..<12 {
        tags.append(try await bench.active(store, bench.request(bench.owner(account: "user \(number)"))).tag)
      }
      try demand(
        try await store.records(matching: KeyQuery(instance: "https://am.example")).map(\.tag), is: tags, "the order")
      try await store.delete(tags[3])
      tags.remove(at: 3)
      tags.append(try await bench.active(store).tag)
      try demand(try await store.records(matching: .everything).map(\.tag), is: tags, "the order after a deletion")
    },

    KeyStoreCheck("aLimitedQueryNamesTheLastOnes") { bench in
      let store = try await bench.store()
      var tags: [KeyTag] = []
      for number in 0..<9 {
        tags.append(
          try await bench.active(
            store, bench.request(bench.owner(party: number % 3 == 0 ? "/alpha" : "/", account: "user \(number)"))
          ).tag)
      }
      let inRoot = tags.indices.filter { $0 % 3 != 0 }.map { tags[$0] }
      for limit in 0...7 {
        // The second answer may come from what is remembered.
        for _ in 0..<2 {
          let query = KeyQuery(instance: "https://am.example", party: "/", limit: limit)
          try demand(
            try await store.records(matching: query).map(\.tag), is: Array(inRoot.suffix(limit)), "the last \(limit)")
        }
      }
      // What takes no part takes no place.
      try await store.beginRevoking(inRoot[5])
      try await store.delete(inRoot[3])
      let query = KeyQuery(instance: "https://am.example", party: "/", limit: 2)
      try demand(try await store.records(matching: query).map(\.tag), is: [inRoot[2], inRoot[4]], "after two left")
    },

    KeyStoreCheck("answersFollowEveryChange") { bench in
      let store = try await bench.store()
      let query = KeyQuery(instance: "https://am.example")
      func offered() async throws -> [KeyTag] { try await store.records(matching: query).map(\.tag) }
      try demand(try await offered(), is: [], "before")
      let first = try await bench.stage(store, bench.request(slot: "s"))
      try demand(try await offered(), is: [], "staged")
      try await store.commit(first.tag, externalID: nil, details: [])
      try demand(try await offered(), is: [first.tag], "committed")
      let second = try await bench.active(store, bench.request(slot: "s"))
      try demand(try await offered(), is: [second.tag], "replaced")
      try await store.restore(first.tag)
      try demand(try await offered(), is: [first.tag], "restored")
      let version = try unwrap(try await store.record(first.tag), "the record").version
      try await store.update(first.tag, details: [1], expecting: version)
      try demand(try await store.records(matching: query).map(\.details), is: [[1]], "updated")
      try await store.beginRevoking(first.tag)
      try demand(try await offered(), is: [], "revoking")
    },

    KeyStoreCheck("aSoundStoreHasNoDamagedTags") { bench in
      let store = try await bench.store()
      _ = try await bench.active(store)
      try demand(try await store.damagedTags(), is: [], "damaged tags")
    },
  ]
}
