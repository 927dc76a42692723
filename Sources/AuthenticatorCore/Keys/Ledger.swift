/// Numbers and small items that must be durable before their effect leaves the process.
public protocol Ledger: Sendable {
  /// The next value of a counter: greater than every value ever returned, across processes and crashes.
  /// - Throws: `counterExhausted` rather than wrapping.
  func advance(_ counter: CounterID) async throws -> UInt32

  /// Pays one attempt; returns how many are left below `limit` (0: this was the last one).
  /// - Throws: `lockedOut` when none was left; nothing is paid then.
  func takeAttempt(_ subject: AttemptSubject, limit: Int) async throws -> Int
  /// Forgets the attempts paid, after a success.
  func resetAttempts(_ subject: AttemptSubject) async throws

  /// A sealed item; nil: there is none.
  func item(_ name: ItemName) async throws -> [UInt8]?
  /// Writes, or with nil removes, an item; at most 64 KiB. Owned items die with their key.
  func setItem(_ name: ItemName, to value: [UInt8]?) async throws
  /// Writes, or with nil removes, an item that still is `expected` (nil: absent), in one transaction.
  /// - Returns: what the store holds now: `value`, or what somebody else wrote.
  @discardableResult
  func exchangeItem(_ name: ItemName, expecting expected: [UInt8]?, with value: [UInt8]?) async throws -> [UInt8]?
}

extension Ledger {
  /// An item that is made once and then kept. Whoever comes first decides: all processes get the same.
  /// - Throws: `storageFailed` when it could not be kept.
  public func item(_ name: ItemName, orMaking make: () throws -> [UInt8]) async throws -> [UInt8] {
    if let present = try await item(name) { return present }
    guard let kept = try await exchangeItem(name, expecting: nil, with: try make()) else {
      throw AuthenticatorError(.storageFailed, stage: "store.item", reason: "the item was not kept")
    }
    return kept
  }

  /// Changes an item by what it is, whoever else changes it at the same time.
  /// - Parameter change: gets what is there (nil: nothing) and returns what shall be; called again when somebody else
  ///   was faster.
  /// - Throws: `busy` when somebody else always is; what `change` throws.
  public func changeItem(_ name: ItemName, _ change: ([UInt8]?) throws -> [UInt8]?) async throws {
    var present = try await item(name)
    for _ in 0..<100 {
      let wanted = try change(present)
      guard wanted != present else { return }
      let found = try await exchangeItem(name, expecting: present, with: wanted)
      if found == wanted { return }
      present = found
    }
    throw AuthenticatorError(.busy, stage: "store.item", reason: "others keep changing the item")
  }
}

/// Names a counter.
public enum CounterID: Hashable, Sendable {
  /// A key's signature counter.
  case key(KeyTag)
  /// A counter of a protocol, for one server.
  case named(instance: String, name: String)
}

/// What attempts are counted for: a PIN's domain, or a sensor that does not lock by itself.
public enum AttemptSubject: Hashable, Sendable {
  /// The PIN of a domain.
  case domain(SecretDomain)
  /// A sensor, by a name that stays the same.
  case sensor(String)
}

/// Names an item; `owner` nil: it belongs to the store.
public struct ItemName: Hashable, Sendable {
  /// The key it lives and dies with; nil: it belongs to the store.
  public var owner: KeyTag?
  /// Its name, unique within the owner.
  public var name: String
  /// Makes a name.
  public init(owner: KeyTag?, name: String) {
    self.owner = owner
    self.name = name
  }
}
