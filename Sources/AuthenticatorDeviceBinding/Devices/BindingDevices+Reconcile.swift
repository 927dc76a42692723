import AuthenticatorCore
import AuthenticatorJourney

extension BindingDevices {
  /// How long a key may be missing from the server's list before that means anything: clocks differ, lists lag.
  static let grace: Duration = .seconds(60)

  /// Brings the signed-in user's keys on this device and the server's list together. Call it after signing in; it may
  /// be interrupted anywhere and run again.
  ///
  /// A key the server lists has been accepted: staged ones are committed, and what they replaced is removed on both
  /// sides. A key it does not list, with its time limit past, is destroyed here; when the server lists its predecessor
  /// instead, that one is restored. Unfinished unbindings are finished, those of keys that a sign-in has proved to be
  /// replaced among them. Nothing is concluded from a list that cannot be had.
  /// - Throws: as `list()`; what fails for one key is reported instead.
  public func reconcile() async throws -> BindingReconciliation {
    let user = try await user()
    let listed = try await list(of: user)
    let query = KeyQuery(
      instance: context.instance, family: .deviceBinding, party: realm, states: Set(KeyRecord.State.allCases))
    let records = try await context.keyStore.records(matching: query).filter { Self.isOwned($0, by: user) }
    var run = ReconcileRun(devices: self, user: user, listed: Set(listed.map(\.keyID)))
    // Staged keys first: committing one decides what becomes of its predecessor.
    for state in [KeyRecord.State.staged, .revoking, .active, .retired] {
      for record in records where record.state == state { await run.settle(record.tag) }
    }
    return run.report
  }
}

/// One pass of reconciliation.
private struct ReconcileRun {
  let devices: BindingDevices
  let user: SessionUser
  let listed: Set<String>
  var report = BindingReconciliation()

  private var store: any KeyStore { devices.context.keyStore }
  private var now: UnixTime { devices.context.environment.now() }

  init(devices: BindingDevices, user: SessionUser, listed: Set<String>) {
    self.devices = devices
    self.user = user
    self.listed = listed
  }

  mutating func settle(_ tag: KeyTag) async {
    do {
      // Read again: settling an earlier key may have changed this one.
      guard let record = try await store.record(tag), let key = UserKey(record) else { return }
      let isListed = listed.contains(key.keyID)
      switch record.state {
      case .staged: try await settleStaged(record, isListed)
      case .revoking:
        if isListed { _ = try await devices.deleteRemote(key.keyID, of: user) }
        try await delete(record)
      case .active: try await settleActive(record, isListed)
      case .retired: try await settleRetired(record, key.keyID, isListed)
      }
    } catch {
      report.pending.append(tag)
      report.failures.append(AuthenticatorError.wrapping(error, as: .storageFailed, stage: "reconcile"))
    }
  }

  private mutating func settleStaged(_ record: KeyRecord, _ isListed: Bool) async throws {
    if isListed {
      let store = store
      let details = BindingAttributes(bytes: record.attributes).details
      _ = try await Ceremony.settled { try await store.commit(record.tag, externalID: nil, details: details) }
      report.committed.append(record.tag)
      return
    }
    guard let journal = BindingJournal(record.journal), isPast(journal.deadline) else {
      report.pending.append(record.tag)
      return
    }
    try await devices.remove(record)
    report.discarded.append(record.tag)
  }

  private mutating func settleActive(_ record: KeyRecord, _ isListed: Bool) async throws {
    guard !isListed else { return }
    guard isPast(record.createdAt) else {
      report.pending.append(record.tag)
      return
    }
    if let predecessor = try await retired(beside: record).last(where: { listed.contains($0.keyID) }) {
      let store = store
      try await Ceremony.settled { try await store.restore(predecessor.tag) }
      report.restored.append(predecessor.tag)
      report.deleted.append(record.tag)
      return
    }
    try await delete(record)
  }

  /// A retired key goes on both sides as soon as the server lists the one that replaced it.
  private mutating func settleRetired(_ record: KeyRecord, _ keyID: String, _ isListed: Bool) async throws {
    let successors = try await keys(beside: record, in: .active)
    guard !successors.isEmpty else {
      guard isListed else { return try await delete(record) }
      let store = store
      try await Ceremony.settled { try await store.restore(record.tag) }
      report.restored.append(record.tag)
      return
    }
    guard successors.contains(where: { listed.contains($0.keyID) }) else { return }
    if isListed { _ = try await devices.deleteRemote(keyID, of: user) }
    try await delete(record)
  }

  private mutating func delete(_ record: KeyRecord) async throws {
    try await devices.remove(record)
    report.deleted.append(record.tag)
  }

  private func retired(beside record: KeyRecord) async throws -> [UserKey] {
    try await keys(beside: record, in: .retired)
  }

  /// The keys of the same slot and owner, from old to new.
  private func keys(beside record: KeyRecord, in state: KeyRecord.State) async throws -> [UserKey] {
    guard let slot = record.slot else { return [] }
    let query = KeyQuery(
      instance: record.owner.instance, family: record.owner.family, slot: slot, states: [state])
    return try await store.records(matching: query).filter { $0.owner == record.owner }.compactMap(UserKey.init)
  }

  private func isPast(_ time: UnixTime) -> Bool { time.advanced(by: BindingDevices.grace) < now }
}
