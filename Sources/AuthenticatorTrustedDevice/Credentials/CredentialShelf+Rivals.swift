import AuthenticatorCore

/// Enrollments of one user that several processes run on one store at the same time. The server keeps the one that it
/// took last; here they may end in any order.
extension CredentialShelf {
  /// The keys that hold or have held the user's place: a proof that leaves now replaces what the server has of them.
  package func holders(userID: String) async throws -> Set<KeyTag> {
    Set(try await store.records(matching: scope.query(user: userID, states: [.active, .retired])).map(\.tag))
  }

  /// What has taken the user's place since: perhaps after this key in the server's eyes, perhaps before it. A
  /// credential that is not certain to be this installation's overtakes nothing.
  /// - Parameter known: the holders of the place when the key's proof was sent.
  package func rivals(
    of record: KeyRecord, userID: String, since known: Set<KeyTag>
  ) async throws -> [LocalCredential] {
    try await active(userID: userID).filter {
      $0.tag != record.tag && !known.contains($0.tag) && !$0.details.isUnproven
    }
  }

  /// Leaves an accepted key staged whose place another has taken meanwhile: the list, or the next sign-in, shows which
  /// of both the server keeps. The other is tried first.
  package func standBack(_ record: KeyRecord) async throws {
    guard var mark = try await mark(of: record) else { return }
    mark.isLeft = true
    mark.isRefused = true
    try await self.mark(record.tag, mark)
  }

  /// What the caller of an enrollment hears that was overtaken.
  package static func overtaken(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.overtaken, stage: "enroll", reason: reason)
  }
}

extension LocalCredential {
  /// Whether the server took this credential after another enrollment of the same user here, as its list tells.
  func overtakes(_ record: KeyRecord, as device: TrustedDevice, among listed: [TrustedDevice]) -> Bool {
    guard tag != record.tag, let own = listed.first(where: { $0.id == id && $0.status == .active }) else {
      return false
    }
    return own.createdAt == device.createdAt
      ? self.record.createdAt > record.createdAt : own.createdAt > device.createdAt
  }
}
