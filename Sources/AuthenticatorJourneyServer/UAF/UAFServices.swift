internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto
internal import AuthenticatorRelyingParty

/// What the UAF addresses and the journey nodes share.
struct UAFServices: Sendable {
  let settings: UAFSettings
  /// The realm whose users the addresses are for.
  let realm: Realm
  let registry: any JourneyRegistry
  let environment: AuthenticatorEnvironment
  private let applicationIDs: [String]
  private let key: SecretBytes
  private let pseudonyms: Pseudonyms

  /// Throws `AuthenticatorError` (`invalidRequest`) for settings that name a realm which is not served.
  init(
    configuration: JourneyServerConfiguration, registry: any JourneyRegistry, pseudonyms: Pseudonyms
  ) async throws {
    settings = configuration.uaf
    guard let realm = settings.realm ?? configuration.realms.first, configuration.realms.contains(realm) else {
      throw AuthenticatorError(.invalidRequest, stage: "server", reason: "the realm of UAF is not served")
    }
    self.realm = realm
    self.registry = registry
    self.pseudonyms = pseudonyms
    environment = configuration.environment
    applicationIDs = configuration.applicationIDs
    key = try await registry.secret("uaf", orElse: SecretBytes(try configuration.environment.random(32)))
  }

  /// Whether any model is known.
  var isConfigured: Bool { !settings.models.isEmpty }

  private var now: UnixTime { environment.now() }

  /// The relying party as it is reached at this address, such as `https://id.example.com/am`.
  func party(at address: String, policy: UAFAcceptancePolicy? = nil) -> UAFRelyingParty {
    let list = address.hasPrefix("https://") ? address + UAFTransport.facetPath : nil
    var party = UAFRelyingParty(
      appID: settings.appID ?? list, facets: settings.facets ?? Self.facets(applicationIDs, address),
      policy: policy ?? settings.policy ?? UAFAcceptancePolicy(anyOf: settings.models.all.map(\.aaid)),
      models: settings.models, key: key, random: environment.random)
    party.versions = settings.versions
    party.enrollmentPolicy = settings.enrollmentPolicy
    party.signCounterPolicy = settings.signCounterPolicy
    party.maximumRegistrationCounter = settings.maximumRegistrationCounter
    party.lifetime = settings.requestLifetime.components.seconds * 1000
    return party
  }

  private static func facets(_ applicationIDs: [String], _ address: String) -> [String] {
    var facets = applicationIDs.map { "linux:exe:" + $0 }
    if let scheme = address.firstRange(of: "://") {
      facets.append(String(address[..<scheme.upperBound] + address[scheme.upperBound...].prefix { $0 != "/" }))
    }
    return facets
  }

  func keys(of user: UserRecord) async throws -> [UAFKeyRecord] {
    try await registry.uafKeys(ofUser: user.id, realm: user.realm)
  }

  // MARK: Asking

  /// Throws `UAFRelyingParty.RequestError`: `name` for a user whose name is longer than a message may have it. It is never
  /// cut: two users could become one, whose new key takes the other one's place on the device.
  func registrationRequest(
    for user: UserRecord, context: String, lifetime: Int64? = nil, _ party: UAFRelyingParty
  ) async throws -> UAFIssuedRequest {
    try party.registrationRequest(
      for: user.id, username: user.name, registered: try await keys(of: user).map(\.registration), context: context,
      lifetime: lifetime,
      at: now.milliseconds)
  }

  /// A request to the user of this name, or for nil to whoever has a key. With `conceals` a user who has none, or who
  /// does not exist, is asked for a key that nobody has, always the same one.
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
    let user = try await registry.user(named: name, in: realm)
    let known = user?.isActive == true ? user : nil
    var registered: [UAFRegistrationRecord] = []
    if let known { registered = try await keys(of: known).map(\.registration) }
    do {
      return try request(known?.id ?? "", registered)
    } catch let error as UAFRelyingParty.RequestError where error == .noKeys && conceals {
      return try request(
        pseudonyms.userID(for: name, in: realm), pseudonym(of: name, in: realm, policy: party.policy))
    }
  }

  /// A key for somebody who has none, of the first model that the policy admits.
  private func pseudonym(
    of name: String, in realm: Realm, policy: UAFAcceptancePolicy
  ) -> [UAFRegistrationRecord] {
    for model in settings.models.all where policy.match([UAFCandidate(model)]) != nil {
      return [
        UAFRegistrationRecord(
          aaid: model.aaid, keyID: pseudonyms.credentialID(for: name, in: realm), publicKey: [],
          keyForm: model.keyForm, signatureForm: model.signatureForm, signCounter: 0, registrationCounter: 0,
          authenticatorVersion: model.authenticatorVersion, attestationType: model.attestationTypes[0])
      ]
    }
    return []
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

  /// Verifies an authentication and stores the counters.
  ///
  /// Throws `UAFVerificationError`.
  func authenticate(
    _ response: UAFReceivedResponse, _ pending: UAFPendingRequest, in realm: Realm, _ party: UAFRelyingParty
  ) async throws -> (user: UserRecord, verdict: UAFAuthenticationVerdict) {
    let unknown = UAFVerificationError(.keyUnknown, "there is no such key")
    var keys: [UAFKeyRecord] = []
    if let subject = pending.subject {
      keys = try await registry.uafKeys(ofUser: subject, realm: realm)
    } else {
      for name in response.keyNames {
        if let key = try await registry.uafKey(name, realm: realm) { keys.append(key) }
      }
    }
    guard let owner = keys.first?.userID, keys.allSatisfy({ $0.userID == owner }),
      let user = try await registry.user(id: owner, in: realm), user.isActive
    else { throw unknown }
    let registered = keys.map(\.registration)
    let verdict = try party.expectation(pending, registered: registered).verifyAuthentication(
      response, registered: registered)
    let risen = verdict.signers.filter { !$0.isCounterNotIncreased }.compactMap { signer -> UAFKeyRecord? in
      var key = keys.first { $0.name.keyID == signer.registration.keyID && $0.name.aaid == signer.registration.aaid }
      key?.registration = signer.registration
      key?.lastUsedAt = now
      return key
    }
    guard try await registry.advanceUAFKeys(risen) else {
      throw UAFVerificationError(.counterNotIncreased, "the key was used or removed meanwhile")
    }
    return (user, verdict)
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
