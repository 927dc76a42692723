import AuthenticatorCore

extension UAFOperationContext.Candidates {
  /// The keys with which each member of a choice may sign, one for each user. The members of a set sign for one user:
  /// all lists then hold the same users, but for keys without a name and for keys that the server names.
  /// - Returns: nil for a set that no single user can serve, unless the server names all keys.
  func signers(of choice: PolicyChoice) -> [[RegisteredKey]]? {
    let lists = choice.members.map { Self.newestByUser(keys(of: $0)) }
    guard lists.count > 1 else { return lists }
    if let common = Self.ofCommonUsers(lists, where: { _ in true }) { return common }
    // Nobody has a key of every member. What the server names is its choice; the others must be of one user.
    let named = choice.members.map { $0.keyIDs != nil }
    guard named.contains(false) else { return lists }
    return named.contains(true) ? Self.ofCommonUsers(lists, where: { !named[$0] }) : nil
  }

  /// The lists without the keys of users who have none in some list.
  /// - Parameter counts: the lists that are looked at, by their places; the others stay as they are.
  /// - Returns: nil when a list would be empty.
  private static func ofCommonUsers(
    _ lists: [[RegisteredKey]], where counts: (Int) -> Bool
  ) -> [[RegisteredKey]]? {
    let looked = lists.indices.filter(counts)
    let holds = { (list: [RegisteredKey], name: String) in
      list.contains { $0.handle.username.isEmpty || $0.handle.username.isIdentical(to: name) }
    }
    var common = lists
    for index in looked {
      common[index] = lists[index].filter { key in
        key.handle.username.isEmpty || looked.allSatisfy { holds(lists[$0], key.handle.username) }
      }
      if common[index].isEmpty { return nil }
    }
    return common
  }

  /// One key for each user name, the most recently registered.
  private static func newestByUser(_ keys: [RegisteredKey]) -> [RegisteredKey] {
    guard keys.count > 1 else { return keys }
    var newest: [RegisteredKey] = []
    for key in keys {
      if let index = newest.firstIndex(where: { $0.handle.username.isIdentical(to: key.handle.username) }) {
        newest[index] = key
      } else {
        newest.append(key)
      }
    }
    return newest
  }

  static var divided: AuthenticatorError {
    AuthenticatorError(
      .keyAccessDenied, stage: "uaf.authenticate", reason: "no user has a key of every authenticator of the set")
  }
}

extension UAFOperationContext {
  /// Finds out what would keep a choice from signing, before anything is shown and anybody is asked: an enrolled set
  /// that cannot be read, and keys that a changed one has ended. A key alone finds the latter out itself.
  /// - Parameter isShown: whether a transaction is shown first.
  /// - Throws: `enrollmentStateUnreadable`; `keyInvalidated` when a member has no other key.
  func lookAhead(_ choice: PolicyChoice, in found: inout Candidates, isShown: Bool) async throws {
    var isAnyGone = false
    for member in choice.members {
      let authenticator = found[member].authenticator
      try await authenticator.checkEnrollmentIsReadable()
      guard authenticator.model.behavior.enrollment == .currentSet else { continue }
      let keys = found[member].keys
      guard keys.count > 1 || choice.members.count > 1 || isShown else { continue }
      for key in keys {
        guard await authenticator.isEnded(key) else { continue }
        isAnyGone = true
        try await module.bury(key)
        found.all[member.candidate].keys.removeAll { $0.record.tag == key.record.tag }
        found.all[member.candidate].gone.insert(key.handle.keyID)
      }
    }
    guard isAnyGone else { return }
    if let member = choice.members.first(where: { found.keys(of: $0).isEmpty }) { throw found.absence(of: member) }
    if found.signers(of: choice) == nil { throw Candidates.divided }
  }
}
