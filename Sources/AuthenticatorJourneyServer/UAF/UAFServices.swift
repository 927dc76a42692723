internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto
internal import AuthenticatorRelyingParty

/// What the UAF addresses and the journey nodes share.
struct UAFServices: Sendable {
  let settings: UAFSettings
  /// The realm whose users the addresses are for.
  let realm: Realm
  /// All that are served.
  let realms: [Realm]
  let registry: any JourneyRegistry
  let environment: AuthenticatorEnvironment
  private let applicationIDs: [String]
  private let key: SecretBytes
  let pseudonyms: UAFPseudonyms

  /// Throws `AuthenticatorError` (`invalidRequest`) for settings that name a realm which is not served or with which
  /// nothing could ever succeed, and journeys that name a model which could never answer.
  init(
    configuration: JourneyServerConfiguration, registry: any JourneyRegistry, pseudonyms: Pseudonyms
  ) async throws {
    settings = configuration.uaf
    guard let realm = settings.realm ?? configuration.realms.first, configuration.realms.contains(realm) else {
      throw AuthenticatorError(.invalidRequest, stage: "server", reason: "the realm of UAF is not served")
    }
    if !settings.models.isEmpty {
      do throws(ExpectationError) { try settings.check(applicationIDs: configuration.applicationIDs) } catch {
        throw AuthenticatorError(.invalidRequest, stage: "server", reason: "of the settings of UAF, \(error)")
      }
    }
    do throws(JourneyTreeError) { try settings.check(configuration.journeys) } catch {
      throw AuthenticatorError(.invalidRequest, stage: "server", reason: "\(error)")
    }
    self.realm = realm
    realms = configuration.realms
    self.registry = registry
    self.pseudonyms = UAFPseudonyms(pseudonyms, settings: configuration.uaf)
    environment = configuration.environment
    applicationIDs = configuration.applicationIDs
    key = try await registry.secret("uaf", orElse: SecretBytes(try configuration.environment.random(32)))
  }

  /// Whether any model is known.
  var isConfigured: Bool { !settings.models.isEmpty }

  var now: UnixTime { environment.now() }

  /// The relying party as it is reached at this address, such as `https://id.example.com/am`.
  func party(at address: String, policy: UAFAcceptancePolicy? = nil) -> UAFRelyingParty {
    let list = address.hasPrefix("https://") ? address + UAFTransport.facetPath : nil
    var party = UAFRelyingParty(
      appID: settings.appID ?? list, facets: settings.facets ?? Self.facets(applicationIDs, address),
      policy: policy ?? settings.usualPolicy,
      models: settings.models, key: key, random: environment.random)
    party.versions = settings.versions
    party.extensions = settings.extensions
    party.enrollmentPolicy = settings.enrollmentPolicy
    party.signCounterPolicy = settings.signCounterPolicy
    party.maximumRegistrationCounter = settings.maximumRegistrationCounter
    party.lifetime = settings.requestLifetime.components.seconds * 1000
    return party
  }

  private static func facets(_ applicationIDs: [String], _ address: String) -> [String] {
    var facets = UAFSettings.facets(of: applicationIDs)
    if let scheme = address.firstRange(of: "://") {
      facets.append(String(address[..<scheme.upperBound] + address[scheme.upperBound...].prefix { $0 != "/" }))
    }
    return facets
  }

  func keys(of user: UserRecord) async throws -> [UAFKeyRecord] {
    try await registry.uafKeys(ofUser: user.id, realm: user.realm)
  }

  // MARK: Asking

  /// Asks for sets that there is room for only, so that nobody is verified for a key that is then refused.
  ///
  /// Throws `UAFQuotaReached` when there is room for none, and `UAFRelyingParty.RequestError`: `name` for a user whose
  /// name is longer than a message may have it. It is never cut: two users could become one, whose new key takes the
  /// other one's place on the device.
  func registrationRequest(
    for user: UserRecord, context: String, lifetime: Int64? = nil, _ party: UAFRelyingParty
  ) async throws -> UAFIssuedRequest {
    let registered = try await keys(of: user).map(\.registration)
    var party = party
    let sets = party.policy.accepted
    party.policy.accepted = sets.filter { registered.count + $0.count <= settings.quota }
    guard !party.policy.accepted.isEmpty || sets.isEmpty else { throw UAFQuotaReached() }
    return try party.registrationRequest(
      for: user.id, username: Self.accountName(user), registered: registered, context: context, lifetime: lifetime,
      at: now.milliseconds)
  }

  /// What a client calls the account. The realms answer for one app, and a new key takes the place of the older one of
  /// the same account there: so a name is said with its realm, but for names of the topmost one that cannot be mistaken
  /// for such.
  private static func accountName(_ user: UserRecord) -> String {
    user.realm == .root && !user.name.hasSuffix(")") ? user.name : "\(user.name) (\(user.realm.path))"
  }

  /// A request to the user of this name, or for nil to whoever has a key. With `conceals` a user who has none, or who
  /// does not exist, is asked for keys that nobody has, always the same ones.
  ///
  /// Throws `UAFRelyingParty.RequestError`: `noKeys` without `conceals`.
  func authenticationRequest(
    forUserNamed name: String?, in realm: Realm, transactions: [UAFTransactionContent], conceals: Bool,
    context: String, lifetime: Int64? = nil, _ party: UAFRelyingParty
  ) async throws -> UAFIssuedRequest {
    func request(_ subject: String?, _ registered: [UAFRegistrationRecord]) throws -> UAFIssuedRequest {
      try party.authenticationRequest(
        for: subject, registered: registered, transactions: transactions, context: context, lifetime: lifetime,
        at: now.milliseconds)
    }
    guard let name else { return try request(nil, []) }
    let subject = Self.subject(name)
    let registered = try await owned(byUserNamed: name, in: realm)?.keys.map(\.registration) ?? []
    // Whether or not they are needed: the time that they take shall not tell.
    let nobodys = conceals ? pseudonyms.keys(of: name, in: realm, policy: party.policy) : []
    do {
      return try request(subject, registered)
    } catch let error as UAFRelyingParty.RequestError where error == .noKeys && conceals {
      return try request(subject, nobodys)
    }
  }

  /// Whom a request was for, as its server data tell: the name that was given. Nothing else would do, since everybody
  /// can read it there, and it must be the same whether or not somebody has the name.
  private static func subject(_ name: String) -> String { Base64URL.encode(Array(name.utf8)) }

  static func name(_ subject: String) -> String? {
    (try? Base64URL.decode(subject)).flatMap { String(validating: $0, as: UTF8.self) }
  }

  typealias Owned = (user: UserRecord, keys: [UAFKeyRecord])

  /// The user of this name with the keys; nil: nobody who may sign in has the name.
  func owned(byUserNamed name: String, in realm: Realm) async throws -> Owned? {
    let user = try await registry.user(named: name, in: realm)
    // Looked for whoever it is: the time that it takes shall not tell who has the name.
    let keys = try await registry.uafKeys(ofUser: user?.id ?? "", realm: realm)
    guard let user, user.isActive else { return nil }
    return (user, keys)
  }

  // MARK: Taking responses

  /// What a response is one to, and uses its challenge up: whatever comes of the response, there is no second try.
  func open(
    _ response: UAFReceivedResponse, context: String, _ party: UAFRelyingParty
  ) async throws -> UAFPendingRequest {
    let pending = try party.pending(response, context: context, at: now.milliseconds)
    let use = ChallengeUse(
      id: (try? Base64URL.decode(pending.challenge)) ?? Array(pending.challenge.utf8),
      expiresAt: UnixTime(milliseconds: pending.expiresAt))
    guard try await registry.useChallenge(use, now: now) else {
      throw UAFVerificationError(.requestUsed, "the request was answered before")
    }
    return pending
  }

  /// Verifies a registration and stores its keys.
  ///
  /// Throws `UAFVerificationError`, and `UAFQuotaReached`.
  func register(
    _ response: UAFReceivedResponse, _ pending: UAFPendingRequest, for user: UserRecord, _ party: UAFRelyingParty
  ) async throws -> UAFRegistrationVerdict {
    guard pending.subject == user.id else {
      throw UAFVerificationError(.serverDataInvalid, "the request was another user's")
    }
    let verdict = try party.expectation(pending).verifyRegistration(
      response, registered: try await self.keys(of: user).map(\.registration), at: now.seconds)
    let keys = verdict.registrations.map { registration in
      UAFKeyRecord(realm: user.realm, userID: user.id, registration: registration, createdAt: now)
    }
    switch try await registry.addUAFKeys(keys, limit: settings.quota) {
    case .added: return verdict
    case .limitReached: throw UAFQuotaReached()
    case .conflict, .alreadyPresent:
      throw UAFVerificationError(.alreadyRegistered, "the key is registered already")
    }
  }
}

extension UAFServices {
  /// Compares these keys with the sets of fingers or faces that they report now. Only for somebody who has proved in
  /// another way to be the user.
  func acceptChangedEnrollment(_ signers: [UAFAuthenticationVerdict.Signer], of user: UserRecord) async throws -> Bool {
    for signer in signers where signer.isEnrollmentChanged {
      let name = UAFKeyName(aaid: signer.registration.aaid, keyID: signer.registration.keyID)
      guard let state = signer.reportedState,
        try await registry.setUserVerificationState(state, ofKey: name, user: user.id, realm: user.realm)
      else { return false }
    }
    return true
  }

  /// What was confirmed, as the answer tells it; the content where it is the configured one.
  func confirmation(_ hash: [UInt8]) -> JSONValue {
    var object: JSONObject = ["hash": .string(Base64URL.encode(hash))]
    if let content = try? UAFTransactionContent(text: settings.transactionText), content.hash == hash {
      object["contentType"] = .string(content.contentType)
      object["content"] = .string(Base64URL.encode(content.content))
    }
    return .object(object)
  }
}

/// The user has as many keys as allowed.
struct UAFQuotaReached: Error {}
