extension UAFRelyingParty {
  /// The accepted sets of an authentication: those of the own policy that the account's keys can serve, each criterion
  /// narrowed to the keys that match it. Nil: there is none.
  /// - Parameter version: Whose models count; nil: those of all versions.
  func authenticationPolicy(
    _ subject: String?, _ registered: [UAFRegistrationRecord], in version: UAFProtocolVersion? = nil
  ) -> UAFAcceptancePolicy? {
    guard subject != nil else {
      guard let version else { return policy }
      return self.policy(in: version)
    }
    var keys: [(record: UAFRegistrationRecord, candidate: UAFCandidate)] = []
    for record in registered {
      guard let model = models[record.aaid], version.map(model.versions.contains) ?? true else { continue }
      let candidate = UAFCandidate(
        model, keyIDs: [record.keyIDText], attestationType: record.attestationType,
        authenticatorVersion: record.authenticatorVersion)
      if policy.admits(candidate) { keys.append((record, candidate)) }
    }
    var accepted: [[UAFAcceptanceCriteria]] = []
    for set in policy.accepted {
      let narrowed = set.compactMap { criterion -> UAFAcceptanceCriteria? in
        let records = keys.filter { criterion.matches($0.candidate) }.map(\.record)
        guard !records.isEmpty else { return nil }
        var aaids: [String] = []
        for record in records where !aaids.contains(record.aaid) { aaids.append(record.aaid) }
        return UAFAcceptanceCriteria(aaids: aaids, keyIDs: records.map(\.keyIDText))
      }
      if narrowed.count == set.count, !accepted.contains(narrowed) { accepted.append(narrowed) }
    }
    return accepted.isEmpty ? nil : UAFAcceptancePolicy(accepted: accepted)
  }

  /// The own policy for models that speak a version: the others are not named, and are ruled out where a criterion that
  /// names no models would admit them. Nil: no set is left.
  func policy(in version: UAFProtocolVersion) -> UAFAcceptancePolicy? {
    let silent = models.silent(in: version)
    guard !silent.isEmpty else { return policy }
    let speaking = models.all.filter { $0.versions.contains(version) }.map { UAFCandidate($0) }
    let names = Set(silent.map(\.aaid))
    var narrowed = policy
    narrowed.accepted = policy.accepted.compactMap { set in
      let criteria = set.compactMap { $0.leavingOut(names) }.filter { criterion in
        criterion.aaids != nil || speaking.contains(where: criterion.withoutKeys.matches)
      }
      return criteria.count == set.count ? criteria : nil
    }
    guard !narrowed.accepted.isEmpty else { return nil }
    let nameless = narrowed.accepted.joined().filter { $0.aaids == nil }.map(\.withoutKeys)
    let ruledOut = silent.filter { model in nameless.contains { $0.matches(UAFCandidate(model)) } }
    if !ruledOut.isEmpty { narrowed.disallowed.append(UAFAcceptanceCriteria(aaids: ruledOut.map(\.aaid))) }
    return narrowed
  }
}
