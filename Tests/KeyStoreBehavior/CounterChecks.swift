import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore

extension KeyStoreCheck {
  static let counters: [KeyStoreCheck] = [
    KeyStoreCheck("countersRise") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store, bench.request(counter: .rising))
      let other = try await bench.active(store, bench.request(counter: .rising))
      var last: UInt32 = 0
      for _ in 0..<(2 * StoreLimits.counterBlock + 3) {
        let value = try await store.advance(.key(key.tag))
        try demand(value > last, "\(value) after \(last)")
        last = value
      }
      try demand(try await store.advance(.key(other.tag)), is: 1, "the other key's first value")
      let named = CounterID.named(instance: "https://am.example", name: "registrations")
      try demand(try await store.advance(named), is: 1, "the named counter's first value")
      try demand(try await store.advance(named), is: 2, "the named counter's second value")
      try demand(
        try await store.advance(.named(instance: "https://other.example", name: "registrations")), is: 1,
        "another server's")
    },

    KeyStoreCheck("countersAreUniqueAmongManyTasks") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store, bench.request(counter: .rising))
      let values = try await withThrowingTaskGroup(of: [UInt32].self, returning: [UInt32].self) { group in
        for _ in 0..<16 {
          group.addTask {
            var values: [UInt32] = []
            for _ in 0..<32 {
              let value = try await store.advance(.key(key.tag))
              try demand(values.last.map { $0 < value } ?? true, "a task saw a counter fall")
              values.append(value)
            }
            return values
          }
        }
        return try await group.reduce([], +)
      }
      try demand(Set(values).count, is: 512, "distinct values")
    },

    KeyStoreCheck("aConstantCounterDoesNotAdvance") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store)
      try await demandError(.invalidRequest, "advancing") { try await store.advance(.key(key.tag)) }
      let signing = SigningKey(record: key, ticket: nil, store: store)
      try demand(try await signing.nextCounter(), is: 0, "the counter")
    },

    KeyStoreCheck("aDestroyedKeysCounterIsGone") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store, bench.request(slot: "s", counter: .rising))
      _ = try await store.advance(.key(key.tag))
      _ = try await bench.active(store, bench.request(slot: "s", counter: .rising))
      try await demandError(.invalidKeyState, "a retired key's") { try await store.advance(.key(key.tag)) }
      try await store.restore(key.tag)
      let value = try await store.advance(.key(key.tag))
      try demand(value > 1, "a counter began again at \(value)")
      try await store.delete(key.tag)
      try await demandError(.keyNotFound, "a deleted key's") { try await store.advance(.key(key.tag)) }
    },

    KeyStoreCheck("attemptsArePaidUpToTheLimit") { bench in
      let store = try await bench.store()
      let sensor = AttemptSubject.sensor("reader 0")
      for left in [2, 1, 0] { try demand(try await store.takeAttempt(sensor, limit: 3), is: left, "attempts left") }
      for _ in 0..<2 {
        try await demandError(.lockedOut, "one too many") { try await store.takeAttempt(sensor, limit: 3) }
      }
      try demand(try await store.takeAttempt(.sensor("reader 1"), limit: 3), is: 2, "another sensor")
      try await store.resetAttempts(sensor)
      try demand(try await store.takeAttempt(sensor, limit: 3), is: 2, "after a reset")
    },
  ]

  static let items: [KeyStoreCheck] = [
    KeyStoreCheck("itemsAreKeptAndReplaced") { bench in
      let store = try await bench.store()
      let name = ItemName(owner: nil, name: "token")
      try demand(try await store.item(name), is: nil, "before")
      try await store.setItem(name, to: [1, 2])
      try demand(try await store.item(name), is: [1, 2], "after")
      try await store.setItem(name, to: [])
      try demand(try await store.item(name), is: [], "empty")
      try await store.setItem(name, to: nil)
      try await store.setItem(name, to: nil)
      try demand(try await store.item(name), is: nil, "removed")
      try await demandError(.invalidRequest, "too long") {
        try await store.setItem(name, to: [UInt8](repeating: 0, count: StoreLimits.fieldBytes + 1))
      }
    },

    KeyStoreCheck("itemsAreExchangedOnlyWhenTheyAreAsExpected") { bench in
      let store = try await bench.store()
      let name = ItemName(owner: nil, name: "token")
      try demand(try await store.exchangeItem(name, expecting: [9], with: [1]), is: nil, "nothing was there")
      try demand(try await store.item(name), is: nil, "nothing was written")
      try demand(try await store.exchangeItem(name, expecting: nil, with: [1]), is: [1], "the first")
      try demand(try await store.exchangeItem(name, expecting: nil, with: [2]), is: [1], "the second")
      try demand(try await store.item(name), is: [1], "the first one's stays")
      try demand(try await store.exchangeItem(name, expecting: [1], with: []), is: [], "replaced by nothing")
      try demand(try await store.exchangeItem(name, expecting: [1], with: nil), is: [], "not removed")
      try demand(try await store.exchangeItem(name, expecting: [], with: nil), is: nil, "removed")
      try demand(try await store.exchangeItem(name, expecting: [], with: nil), is: nil, "removed already")
      try await demandError(.invalidRequest, "too long") {
        try await store.exchangeItem(
          name, expecting: nil, with: [UInt8](repeating: 0, count: StoreLimits.fieldBytes + 1))
      }
      try demand(try await store.item(name, orMaking: { [3] }), is: [3], "made")
      try demand(try await store.item(name, orMaking: { [4] }), is: [3], "made once")
      let key = try await bench.active(store)
      let owned = ItemName(owner: key.tag, name: "blob")
      try demand(try await store.exchangeItem(owned, expecting: nil, with: [1]), is: [1], "a key's item")
      try await store.delete(key.tag)
      try demand(try await store.item(owned), is: nil, "the item of a deleted key")
      try await demandError(.keyNotFound, "an item of no key") {
        try await store.exchangeItem(owned, expecting: nil, with: [1])
      }
    },

    KeyStoreCheck("changesOfAnItemAtTheSameTimeAreAllKept") { bench in
      let store = try await bench.store()
      let name = ItemName(owner: nil, name: "list")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in UInt8(0)..<8 {
          group.addTask { try await store.changeItem(name) { ($0 ?? []) + [number] } }
        }
        try await group.waitForAll()
      }
      try demand(try await store.item(name)?.sorted(), is: Array(0..<8), "every change")
    },

    KeyStoreCheck("ownedItemsDieWithTheirKey") { bench in
      let store = try await bench.store()
      let key = try await bench.active(store)
      let other = try await bench.active(store)
      let name = ItemName(owner: key.tag, name: "blob")
      try await store.setItem(name, to: [1])
      try await store.setItem(ItemName(owner: other.tag, name: "blob"), to: [2])
      try await store.setItem(ItemName(owner: nil, name: "blob"), to: [3])
      try demand(try await store.item(name), is: [1], "the item")
      try await store.delete(key.tag)
      try demand(try await store.item(name), is: nil, "the item of a deleted key")
      try demand(try await store.item(ItemName(owner: other.tag, name: "blob")), is: [2], "another key's item")
      try demand(try await store.item(ItemName(owner: nil, name: "blob")), is: [3], "the store's item")
      try await demandError(.keyNotFound, "an item of no key") { try await store.setItem(name, to: [1]) }
    },
  ]
}
