import AuthenticatorCore

/// What becomes of enrollments that were interrupted.
extension Settlement {
  /// How long a credential may be missing from the list after its challenge ended: lists lag, clocks differ.
  private static let grace: Duration = .seconds(60)

  /// - Parameter isOwn: whether it is this process's own, which has given up waiting.
  /// - Returns: the credential, when the server made one of it and it is committed.
  mutating func settle(staged record: KeyRecord, isOwn: Bool = false) async throws -> TrustedDevice? {
    guard record.state == .staged else { return nil }
    let item = try await store.item(AttemptMark.item(of: record.tag))
    guard let item else {
      // Nothing was proved to the server: the local clean-up gives it up once its time is over.
      if !client.shelf.isPast(record) { report.pending += 1 }
      return nil
    }
    let mark: AttemptMark
    do { mark = try AttemptMark(item) } catch {
      // The widest span that an attempt of this key can have.
      let deadline = EnrollmentJournal(record.journal)?.deadline ?? record.createdAt
      mark = AttemptMark(
        from: record.createdAt.advanced(by: .seconds(-3600)), until: deadline.advanced(by: .seconds(3600)))
    }
    let (devices, clock) = try await list()
    if let own = try Self.own(record, mark, among: devices) {
      return try await accept(own, for: record, isCertain: true, among: devices)
    }
    guard isOwn || mark.isLeft || client.shelf.isPast(record) else {
      // Another process may be waiting for the very answer: nothing is guessed before it has it.
      report.pending += 1
      return nil
    }
    let found = mark.id == nil ? try await candidates(for: record, mark, among: devices) : []
    if found.count == 1 { return try await accept(found[0], for: record, isCertain: false, among: devices) }
    isAmbiguous = !found.isEmpty
    guard mark.until.advanced(by: Self.grace) < clock.now else {
      report.pending += 1
      return nil
    }
    // The challenge has ended: what is not there now was never made, and what cannot be told apart stays the server's.
    try await undo(record)
    for device in found { leave(device.id) }
    return nil
  }

  private mutating func undo(_ record: KeyRecord) async throws {
    let (store, tag) = (store, record.tag)
    try await Turnstile.shielded { try await store.discard(tag) }
    report.undone += 1
    client.emit(.enrollmentUndone)
  }

  /// What the attempt has certainly made: the credential that was named beforehand, or the one of this very key.
  private static func own(
    _ record: KeyRecord, _ mark: AttemptMark, among devices: [TrustedDevice]
  ) throws -> TrustedDevice? {
    let thumbprint = try ProofText.thumbprint(record.publicKey)
    return devices.first { device in
      guard device.status == .active else { return false }
      return device.publicKeyThumbprint.map { $0 == thumbprint } ?? (mark.id == device.id)
    }
  }

  /// What the attempt can have made, where the server shows no keys: of this app and platform, made in its time, and
  /// nobody else's here. A server may write a name in its own way, so that decides only among several.
  private func candidates(
    for record: KeyRecord, _ mark: AttemptMark, among devices: [TrustedDevice]
  ) async throws -> [TrustedDevice] {
    let attributes = try CredentialAttributes(record.attributes)
    let known = try await store.records(matching: scope.query(states: .everyState)).compactMap(\.externalID)
    let earliest = mark.from.advanced(by: .seconds(-2))
    let latest = mark.until.advanced(by: Self.grace)
    let found = devices.filter { device in
      device.status == .active && device.publicKeyThumbprint == nil && device.algorithm == .es256
        && device.appIdentifier == scope.party && device.platform.rawValue == attributes.platform
        && device.createdAt >= earliest && device.createdAt <= latest && !known.contains(Array(device.id.utf8))
    }
    guard found.count > 1 else { return found }
    let named = found.filter { ($0.name ?? "") == (attributes.name ?? "") }
    return named.isEmpty ? found : named
  }

  private mutating func accept(
    _ device: TrustedDevice, for record: KeyRecord, isCertain: Bool, among devices: [TrustedDevice]
  ) async throws -> TrustedDevice? {
    let isOvertaken = try await client.shelf.active(userID: userID).contains { other in
      // What the server has given up since has overtaken nothing that is certain to be ours.
      other.overtakes(record, as: device, among: devices)
        || (!isCertain && other.record.createdAt > record.createdAt)
    }
    guard !isOvertaken else {
      // A later enrollment has succeeded meanwhile: this one is undone, and the server's half if it is certainly ours.
      if isCertain {
        guard await revoke(device.id) else { return nil }
      } else {
        leave(device.id)
      }
      try await undo(record)
      return nil
    }
    // A list entry that only fits is not certain to be this key's.
    try await client.shelf.commit(
      record, as: device.id,
      CredentialDetails(createdAt: device.createdAt, updatedAt: device.updatedAt, isUnproven: !isCertain))
    report.enrolled.append(device.id)
    client.emit(.enrolled(id: device.id, isRecovered: true))
    // Otherwise the key it replaces stays, not offered, until the first signature has shown that this is the right one.
    if isCertain {
      await client.shelf.removeReplaced(by: record, userID: userID, in: client.configuration.replaceScope)
    }
    return device
  }
}
