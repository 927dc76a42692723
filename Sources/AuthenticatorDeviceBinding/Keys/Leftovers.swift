import AuthenticatorCore

/// Staged keys of one slot whose process ended in the middle of binding.
///
/// Only keys that never signed are meant: without a proof nothing of them can have reached the server. One that did
/// sign may have been accepted there; its fate is `BindingDevices.reconcile()`'s.
enum Leftovers {
  /// Clears those whose time limit is past, before another key is staged: whoever made them has given up by now.
  static func clearExpired(of request: KeyRequest, in store: any KeyStore, at now: UnixTime) async throws {
    for record in try await staged(request.owner, request.slot, in: store) {
      guard let journal = BindingJournal(record.journal), journal.deadline.advanced(by: BindingDevices.grace) < now
      else { continue }
      try await store.discard(record.tag)
    }
  }

  /// Clears all of them once the server has accepted a key of their slot: they could only replace that one.
  static func clear(beside accepted: KeyRecord, in store: any KeyStore) async {
    do {
      for record in try await staged(accepted.owner, accepted.slot, in: store) where record.tag != accepted.tag {
        try await store.discard(record.tag)
      }
    } catch {
      // The binding is done, whatever is left; the next one tries again.
    }
  }

  private static func staged(_ owner: KeyOwner, _ slot: String?, in store: any KeyStore) async throws -> [KeyRecord] {
    guard let slot else { return [] }
    let query = KeyQuery(instance: owner.instance, family: owner.family, slot: slot, states: [.staged])
    return try await store.records(matching: query).filter { $0.owner == owner && $0.lastUsedAt == nil }
  }
}
