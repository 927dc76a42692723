internal import AuthenticatorCore
public import AuthenticatorCrypto

/// Checks passwords, and pays for every attempt before it compares.
///
/// Unknown names cost as much as known ones and are counted like them, so neither time nor answer tells which exist.
public struct PasswordAuthority: Sendable {
  /// The verdict on a name and a password.
  public enum Verdict: Hashable, Sendable {
    /// The password is this user's.
    case accepted(UserRecord)
    /// Wrong password, no such user, or a user without password.
    case refused
    /// Too many failures; nothing was compared and nothing counted. Seconds to wait; nil: an administrator must unlock.
    case locked(retryAfter: Int?)
    /// The password was right, and the user is switched off.
    case inactive
  }

  /// N = 2^15, r = 8, p = 3: as slow as N = 2^17, p = 1, with 32 MiB in place of 128.
  public static let defaultCost = ScryptParameters(logN: 15, r: 8, p: 3)
  /// The longest password and user name, in bytes of UTF-8.
  public static let maximumPasswordBytes = 1024
  /// The longest user name, in bytes of UTF-8.
  public static let maximumUsernameBytes = 256

  let registry: any JourneyRegistry
  let environment: AuthenticatorEnvironment
  let cost: ScryptParameters
  let recoveryCodeCost: ScryptParameters
  let bounds: ScryptBounds
  let lockout: LockoutPolicy
  let workers: BoundedWorkers
  let addresses: AddressLimit
  /// Compared with when there is nothing else; no password has this digest but by chance.
  let dummy: PasswordHash

  init(
    registry: any JourneyRegistry, environment: AuthenticatorEnvironment, cost: ScryptParameters,
    recoveryCodeCost: ScryptParameters, bounds: ScryptBounds, lockout: LockoutPolicy, limits: JourneyServerLimits
  ) throws {
    try bounds.check(cost)
    try Self.recoveryCodeBounds.check(recoveryCodeCost)
    self.registry = registry
    self.environment = environment
    self.cost = cost
    self.recoveryCodeCost = recoveryCodeCost
    self.bounds = bounds
    self.lockout = lockout
    workers = BoundedWorkers(
      label: "journey-server.passwords", width: limits.passwordWidth ?? Cores.count, queueLimit: limits.passwordQueue)
    addresses = AddressLimit(limit: limits.failuresPerAddress, interval: limits.addressInterval)
    dummy = PasswordHash(
      parameters: cost, salt: try environment.random(PasswordHash.saltCount),
      digest: try environment.random(PasswordHash.digestCount))
  }

  /// Decides about a name and a password.
  ///
  /// `peer` is the address the attempt comes from; empty: not known. Throws `RESTFailure`: 503 when too many wait
  /// already, 429 when the address has failed too often; nothing is counted then. An attempt that was paid for and
  /// could not be compared stays paid.
  public func check(username: String, password: String, realm: Realm, peer: String = "") async throws -> Verdict {
    try await attempt(username, realm: realm, peer: peer) { user, slot in
      guard try await compare(password, with: user?.password ?? dummy, on: slot), let user, user.password != nil else {
        return nil
      }
      return user.isActive ? try await upgraded(user, password: password, on: slot) : user
    }
  }

  /// Pays for an attempt, then has `prove` compare; it returns the user, changed or not, when the attempt was right.
  func attempt(
    _ username: String, realm: Realm, peer: String,
    prove: (UserRecord?, BoundedWorkers.Slot) async throws -> UserRecord?
  ) async throws -> Verdict {
    try addresses.check(peer, now: environment.now())
    return try await workers.withSlot { slot in
      guard username.utf8.count <= Self.maximumUsernameBytes else { return .refused }
      let subject = AttemptSubject(realm: realm, username: username)
      let now = environment.now()
      if case .locked(let until) = try await registry.takeAttempt(subject, policy: lockout, now: now) {
        return .locked(retryAfter: Self.seconds(from: now, to: until))
      }
      guard let user = try await prove(try await registry.user(named: username, in: realm), slot) else {
        addresses.countFailure(peer, now: now)
        return .refused
      }
      try await registry.resetAttempts(subject)
      return user.isActive ? .accepted(user) : .inactive
    }
  }

  /// Hashes a new password at the present cost.
  public func hash(_ password: String) async throws -> PasswordHash {
    guard (1...Self.maximumPasswordBytes).contains(password.utf8.count) else {
      throw AuthenticatorError(.invalidRequest, stage: "password", reason: "a password has 1 to 1,024 bytes")
    }
    return try await workers.withSlot { try await make(password, on: $0) }
  }

  /// Which of these stored passwords are this one.
  func hashes(of password: String, among stored: Set<PasswordHash>) async throws -> Set<PasswordHash> {
    guard !stored.isEmpty else { return [] }
    return try await workers.withSlot { slot in
      var own: Set<PasswordHash> = []
      for hash in stored {
        try Task.checkCancellation()
        if try await compare(password, with: hash, on: slot) { own.insert(hash) }
      }
      return own
    }
  }

  private func make(_ password: String, on slot: BoundedWorkers.Slot) async throws -> PasswordHash {
    let salt = try environment.random(PasswordHash.saltCount)
    let digest = try await derive(password, parameters: cost, salt: salt, on: slot)
    return PasswordHash(parameters: cost, salt: salt, digest: digest)
  }

  private func compare(
    _ password: String, with hash: PasswordHash, on slot: BoundedWorkers.Slot
  ) async throws -> Bool {
    // A password that is too long is never right, and costs as much as one that is merely wrong.
    let fits = password.utf8.count <= Self.maximumPasswordBytes
    let digest = try await derive(fits ? password : "", parameters: hash.parameters, salt: hash.salt, on: slot)
    return ConstantTime.equals(digest, hash.digest) && fits
  }

  func derive(
    _ password: String, parameters: ScryptParameters, salt: [UInt8], bounds: ScryptBounds? = nil,
    on slot: BoundedWorkers.Slot
  ) async throws -> [UInt8] {
    let secret = SecretBytes(Array(password.utf8))
    let bounds = bounds ?? self.bounds
    return try await slot.run {
      try Scrypt.derive(
        password: secret, salt: salt, parameters: parameters, outputCount: PasswordHash.digestCount, bounds: bounds
      ).withUnsafeBytes { Array($0) }
    }
  }

  /// Stores the password anew when the cost has changed since it was set.
  private func upgraded(
    _ user: UserRecord, password: String, on slot: BoundedWorkers.Slot
  ) async throws -> UserRecord {
    guard user.password?.parameters != cost else { return user }
    var user = user
    user.password = try await make(password, on: slot)
    _ = try await registry.updateUser(user)
    return user
  }

  /// Whole seconds, rounded up; nil when it never ends.
  private static func seconds(from now: UnixTime, to until: UnixTime) -> Int? {
    guard until.milliseconds < .max else { return nil }
    let (difference, overflow) = until.milliseconds.subtractingReportingOverflow(now.milliseconds)
    return overflow ? nil : Int(max(difference, 0) / 1000) + 1
  }
}
