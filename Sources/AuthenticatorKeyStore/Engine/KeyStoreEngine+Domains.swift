import AuthenticatorCore
import AuthenticatorCrypto

extension KeyStoreEngine {
  func isSet(_ domain: SecretDomain) async throws -> Bool {
    let name = cipher.domainName(domain)
    return try await backend.read { try $0.domain(name) != nil }
  }

  func create(_ domain: SecretDomain, secret: SecretBytes) async throws -> KeyAuthorization {
    try Self.check(domain.rawValue.utf8.count, StoreLimits.nameBytes, "the domain")
    try Self.check(secret: secret)
    if try await isSet(domain) { throw Self.domainExists }
    let opened = OpenedDomain(domain, id: try cipher.randomBytes(16), key: SecretBytes(try cipher.randomBytes(32)))
    let row = try await wrap(opened, of: domain, with: secret)
    let name = cipher.domainName(domain)
    try await backend.write(.durable) { [cipher] rows in
      guard try rows.domain(name) == nil else { throw Self.domainExists }
      try rows.setDomain(name, to: row)
      try rows.setAttempts(AttemptRecord(), of: .domain(domain), with: cipher)
    }
    return opened.authorization
  }

  func unlock(_ domain: SecretDomain, with secret: SecretBytes) async throws -> KeyAuthorization {
    try Self.check(secret: secret)
    let row = try await pay(domain)
    let opened = try await unwrap(row, of: domain, with: secret)
    let upgraded = row.parameters == scrypt ? nil : try await wrap(opened, of: domain, with: secret)
    let isUpgraded = try await settle(domain, row, replacement: upgraded)
    if isUpgraded { try await backend.scrub() }
    return opened.authorization
  }

  func change(_ domain: SecretDomain, from old: SecretBytes, to new: SecretBytes) async throws {
    try Self.check(secret: old)
    try Self.check(secret: new)
    let row = try await pay(domain)
    let opened = try await unwrap(row, of: domain, with: old)
    let replacement = try await wrap(opened, of: domain, with: new)
    guard try await settle(domain, row, replacement: replacement) else {
      throw AuthenticatorError(.busy, stage: "store.changePIN", reason: "the PIN was changed by someone else")
    }
    try await backend.scrub()
  }

  func attempts(of domain: SecretDomain) async throws -> AttemptState {
    let (wall, uptime) = (environment.now(), environment.uptime())
    let policy = attemptPolicy
    let name = cipher.domainName(domain)
    return try await backend.read { [cipher] rows in
      guard try rows.domain(name) != nil else { throw Self.notFound("store.attempts") }
      guard let record = try rows.attempts(of: .domain(domain), with: cipher) else { throw Self.attemptsMissing }
      let delay = policy.delay(after: record.failures)
      return AttemptState(
        failures: record.failures, remaining: max(0, policy.limit - record.failures),
        retryAfter: record.failures < policy.limit ? record.remaining(of: delay, wall, uptime) : nil)
    }
  }

  func remove(_ domain: SecretDomain) async throws {
    let name = cipher.domainName(domain)
    let isGone = try await backend.write(.durable) { [cipher] rows in
      guard try rows.domain(name) != nil else { return false }
      try rows.setDomain(name, to: nil)
      try rows.setAttempts(nil, of: .domain(domain), with: cipher)
      return true
    }
    if isGone { try await backend.scrub() }
  }

  // MARK: Attempts

  /// Pays one attempt durably and returns the row to compare with. Nothing is compared when this throws.
  private func pay(_ domain: SecretDomain) async throws -> DomainRow {
    let (wall, uptime) = (environment.now(), environment.uptime())
    let policy = attemptPolicy
    let name = cipher.domainName(domain)
    let bounds = scryptBounds
    let outcome = try await backend.write(.durable) { [cipher] rows -> Result<DomainRow, AuthenticatorError> in
      guard let row = try rows.domain(name) else { throw Self.notFound("store.unlock") }
      try cipher.check(row, of: domain, bounds)
      guard var record = try rows.attempts(of: .domain(domain), with: cipher) else { throw Self.attemptsMissing }
      guard record.failures < policy.limit else {
        return .failure(AuthenticatorError(.lockedOut, stage: "store.unlock", attemptsRemaining: 0))
      }
      let isMoved = record.anchor(wall, uptime)
      if let left = record.remaining(of: policy.delay(after: record.failures), wall, uptime) {
        if isMoved { try rows.setAttempts(record, of: .domain(domain), with: cipher) }
        return .failure(
          AuthenticatorError(
            .lockedOut, stage: "store.unlock", retryAfter: left, attemptsRemaining: policy.limit - record.failures))
      }
      record.add(wall, uptime)
      try rows.setAttempts(record, of: .domain(domain), with: cipher)
      return .success(row)
    }
    if case .failure = outcome { emit(.lockedOut) }
    return try outcome.get()
  }

  /// Gives the attempt back after a right PIN, and puts the replacement in place if the row is still the same.
  private func settle(_ domain: SecretDomain, _ row: DomainRow, replacement: DomainRow?) async throws -> Bool {
    let name = cipher.domainName(domain)
    return try await backend.write(.durable) { [cipher] rows in
      try rows.setAttempts(AttemptRecord(), of: .domain(domain), with: cipher)
      guard let replacement, try rows.domain(name) == row else { return false }
      try rows.setDomain(name, to: replacement)
      return true
    }
  }

  private func failure(of domain: SecretDomain) async throws -> AuthenticatorError {
    let state = try await attempts(of: domain)
    emit(.attemptFailed(remaining: state.remaining))
    if state.remaining == 0 || state.retryAfter != nil { emit(.lockedOut) }
    return AuthenticatorError(
      .userVerificationFailed, stage: "store.unlock", retryAfter: state.retryAfter,
      attemptsRemaining: state.remaining)
  }

  // MARK: Wrapping

  private func wrap(_ opened: OpenedDomain, of domain: SecretDomain, with secret: SecretBytes) async throws -> DomainRow
  {
    var row = DomainRow(
      id: opened.id, algorithm: DomainRow.scrypt, logN: Int64(scrypt.logN), r: Int64(scrypt.r), p: Int64(scrypt.p),
      salt: try cipher.randomBytes(16), wrap: [], code: [])
    let key = try await wrapKey(row, secret)
    row.wrap = try cipher.seal(secret: opened.key, key, row.wrapData(domain))
    row.code = cipher.authenticationCode(for: row.authenticatedData(domain))
    return row
  }

  private func unwrap(_ row: DomainRow, of domain: SecretDomain, with secret: SecretBytes) async throws -> OpenedDomain
  {
    let key = try await wrapKey(row, secret)
    do {
      return OpenedDomain(domain, id: row.id, key: try cipher.open(secret: row.wrap, key, row.wrapData(domain)))
    } catch let error as AuthenticatorError where error.code == .integrityFailed {
      // The row as a whole is authentic, so only the PIN can be wrong.
      throw try await failure(of: domain)
    }
  }

  private func wrapKey(_ row: DomainRow, _ secret: SecretBytes) async throws -> SecretBytes {
    do {
      let derived = try await derivation.derive(secret, salt: row.salt, row.parameters, scryptBounds)
      return try cipher.wrapKey(derived)
    } catch {
      throw AuthenticatorError.wrapping(error, as: .storageFailed, stage: "store.derive")
    }
  }

  private static let domainExists = AuthenticatorError(
    .keyExists, stage: "store.createPIN", reason: "the domain has a PIN already")
  private static let attemptsMissing = AuthenticatorError(
    .integrityFailed, stage: "store.attempts", reason: "the record of attempts is missing")

  private static func check(secret: SecretBytes) throws {
    guard (1...1024).contains(secret.count) else {
      throw AuthenticatorError(.pinRejected, stage: "store", reason: "a secret has 1 to 1,024 bytes")
    }
  }
}

extension DomainRow {
  static let scrypt = "scrypt"

  /// Read only after `StoreCipher.check`, which refuses numbers that do not fit.
  var parameters: ScryptParameters {
    ScryptParameters(logN: Int(clamping: logN), r: Int(clamping: r), p: Int(clamping: p))
  }

  /// What the wrap is bound to.
  func wrapData(_ domain: SecretDomain) -> [UInt8] {
    var fields = FieldWriter(capacity: 128)
    fields.write("domain")
    fields.write(domain.rawValue)
    fields.write(id)
    fields.write(algorithm)
    fields.write(logN)
    fields.write(r)
    fields.write(p)
    fields.write(salt)
    return fields.bytes
  }

  func authenticatedData(_ domain: SecretDomain) -> [UInt8] {
    var fields = FieldWriter(capacity: 192)
    fields.write(wrapData(domain))
    fields.write(wrap)
    return fields.bytes
  }
}

extension StoreCipher {
  func domainName(_ domain: SecretDomain) -> [UInt8] { name("domain", Array(domain.rawValue.utf8)) }

  /// Refuses a row that was altered or whose cost is out of bounds, before anything is derived from it.
  func check(_ row: DomainRow, of domain: SecretDomain, _ bounds: ScryptBounds) throws {
    func refuse(_ reason: String) -> AuthenticatorError {
      AuthenticatorError(.integrityFailed, stage: "store.domain", reason: reason)
    }
    do { try bounds.check(row.parameters) } catch { throw refuse("the derivation's cost is out of bounds") }
    guard row.algorithm == DomainRow.scrypt, row.salt.count == 16, row.id.count == 16 else {
      throw refuse("the domain is malformed")
    }
    guard ConstantTime.equals(row.code, authenticationCode(for: row.authenticatedData(domain))) else {
      throw refuse("the domain was altered")
    }
  }
}
