import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

extension KeyStoreEngine {
  func prospectiveProtection(for request: KeyRequest, access: KeyAccess) -> KeyProtection? {
    guard let (provider, _) = try? choose(request, access) else { return nil }
    return protection(by: provider, access)
  }

  func stage(
    _ request: KeyRequest, as authenticator: AuthenticatorType, access: KeyAccess,
    enrollmentState: EnrollmentState?, ticket: VerificationTicket?
  ) async throws -> KeyRecord {
    try Self.check(request, authenticator, access, enrollmentState)
    let (provider, algorithm) = try choose(request, access)
    let tag = KeyTag(rawValue: Hex.encode(try cipher.randomBytes(10)))
    let authorization = try wrapping(access, tag, ticket)
    if provider.storage == .external { try await announce(.creation, of: tag, at: provider) }
    let material: KeyMaterial
    let record: KeyRecord
    let row: KeyRow
    do {
      let publicKey: PublicKey
      (material, publicKey) = try await provider.make(
        algorithm, name: tag, access: access, authorization: authorization?.authorization ?? .none)
      record = KeyRecord(
        tag: tag, owner: request.owner, authenticator: authenticator, access: access,
        protection: protection(by: provider, access), algorithm: algorithm, publicKey: publicKey,
        counter: request.counter, attributes: request.attributes, slot: request.slot,
        enrollmentState: enrollmentState, createdAt: request.createdAt ?? environment.now(), state: .staged,
        externalID: request.externalID, details: [], journal: request.journal, version: 1, lastUsedAt: nil)
      let half = RecordHalf(
        record: record, storage: provider.storage,
        secretsLikeKey: request.secrets.names(.likeTheKey),
        secretsLikeRecord: request.secrets.names(.likeTheRecord))
      row = try cipher.seal(half, material: material, domainKey: authorization?.key)
      try await insert(row, record, authorization?.id, announced: provider.storage == .external)
    } catch {
      if provider.storage == .external { await abandon(tag, at: provider) }
      throw AuthenticatorError.wrapping(error, as: .keyGenerationFailed, stage: "store.stage")
    }
    emit(.keyStaged(tag, authenticator: authenticator, family: record.owner.family, protection: record.protection))
    return record
  }

  private func insert(_ row: KeyRow, _ record: KeyRecord, _ domainID: [UInt8]?, announced: Bool) async throws {
    try await change([record.tag]) { [cipher] rows in
      if case .secret(let domain) = record.access.gate {
        // Otherwise a PIN removed in the meantime would leave a key that nothing opens.
        guard let present = try rows.domain(cipher.domainName(domain)), present.id == domainID else {
          throw AuthenticatorError(.keyNotFound, stage: "store.stage", reason: "the domain has no PIN, or a new one")
        }
      }
      if let name = record.externalID { try rows.checkUnused(name, for: record, with: cipher) }
      if announced {
        // Recovery by another process may have given this key up.
        guard try rows.intents().contains(where: { $0.tag == row.tag }) else {
          throw AuthenticatorError(.keyGenerationFailed, stage: "store.stage", reason: "making the key took too long")
        }
        try rows.setIntent(row.tag, to: nil)
      }
      try rows.insert(row)
      if record.counter == .rising { try rows.setCounter(.key(record.tag), to: 0, with: cipher) }
    }
  }

  /// The strongest admitted provider that has an algorithm of the request, and the first such algorithm.
  private func choose(
    _ request: KeyRequest, _ access: KeyAccess
  ) throws -> (any KeyProvider, SignatureAlgorithm) {
    let needsHardware = request.requiresHardware || access.requiresHardware
    let admitted = needsHardware ? providers.filter(\.isHardware) : providers
    if needsHardware, admitted.isEmpty {
      throw AuthenticatorError(.hardwareRequired, stage: "store.stage")
    }
    for provider in admitted {
      if let algorithm = request.algorithms.first(where: provider.algorithms.contains) { return (provider, algorithm) }
    }
    throw AuthenticatorError(.unsupportedAlgorithm, stage: "store.stage")
  }

  private func protection(by provider: any KeyProvider, _ access: KeyAccess) -> KeyProtection {
    let isWrapped = if case .secret = access.gate { true } else { false }
    return KeyProtection(
      residence: provider.residence, isHardware: provider.isHardware, isSecretWrapped: isWrapped)
  }

  /// What wraps a new key of a `.secret` gate; nil for other gates.
  private func wrapping(_ access: KeyAccess, _ tag: KeyTag, _ ticket: VerificationTicket?) throws -> OpenedDomain? {
    guard case .secret(let domain) = access.gate else { return nil }
    guard let ticket, let opened = OpenedDomain(ticket.authorization, of: domain) else {
      throw AuthenticatorError(.verificationInsufficient, stage: "store.stage")
    }
    guard ticket.admits(tag, at: environment.uptime()) else {
      throw AuthenticatorError(.verificationSpent, stage: "store.stage")
    }
    return opened
  }

  private static func check(
    _ request: KeyRequest, _ authenticator: AuthenticatorType, _ access: KeyAccess, _ enrollment: EnrollmentState?
  ) throws {
    let names = StoreLimits.nameBytes
    try check(request.owner.instance.utf8.count, names, "the instance")
    try check(request.owner.family.rawValue.utf8.count, names, "the family")
    try check(request.owner.party.utf8.count, names, "the party")
    try check(request.owner.account?.count ?? 0, names, "the account")
    try check(request.slot?.utf8.count ?? 0, names, "the slot")
    try check(request.externalID?.count ?? 0, names, "the external ID")
    try check(authenticator.rawValue.utf8.count, names, "the authenticator type")
    try check(enrollment?.digest.count ?? 0, names, "the enrollment state")
    try check(request.attributes.count, StoreLimits.fieldBytes, "attributes")
    try check(request.journal.count, StoreLimits.fieldBytes, "the journal")
    for name in request.secrets.keys { try check(name.rawValue.utf8.count, names, "a secret's name") }
    func refuse(_ reason: String) -> AuthenticatorError {
      AuthenticatorError(.invalidRequest, stage: "store.stage", reason: reason)
    }
    guard !request.algorithms.isEmpty, request.algorithms.count <= StoreLimits.algorithms else {
      throw refuse("the request lists no algorithm, or more than \(StoreLimits.algorithms)")
    }
    guard request.secrets.count <= StoreLimits.secrets else {
      throw refuse("the request asks for more than \(StoreLimits.secrets) secrets")
    }
    guard request.externalID != [] else { throw refuse("the external ID is empty") }
    switch access.gate {
    case .open: break
    case .verified(let methods):
      guard !methods.isEmpty, methods.count <= StoreLimits.methods else { throw refuse("the gate names no method") }
      for method in methods { try check(method.rawValue.utf8.count, names, "a method") }
    case .secret(let domain): try check(domain.rawValue.utf8.count, names, "the domain")
    }
  }
}

extension RowTransaction {
  /// - Throws: `keyExists` when another key of the same server, protocol and party has this name.
  func checkUnused(_ name: [UInt8], for record: KeyRecord, with cipher: StoreCipher) throws {
    let query = KeyQuery(
      instance: record.owner.instance, family: record.owner.family, party: record.owner.party, externalID: name,
      states: Set(KeyRecord.State.allCases))
    guard try open(query, with: cipher).found.allSatisfy({ $0.key.record.tag == record.tag }) else {
      throw AuthenticatorError(.keyExists, stage: "store", reason: "another key has this external ID")
    }
  }
}

extension [SecretName: SecretProtection] {
  /// The secrets with this protection, in an order of their own.
  fileprivate func names(_ protection: SecretProtection) -> [SecretName] {
    filter { $0.value == protection }.map(\.key).sorted { $0.rawValue < $1.rawValue }
  }
}
