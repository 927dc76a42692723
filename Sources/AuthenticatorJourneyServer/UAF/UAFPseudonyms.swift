internal import AuthenticatorCoding
internal import AuthenticatorCrypto
internal import AuthenticatorRelyingParty

/// UAF keys for names of which nobody has one: one to three of the models that a policy admits, which ones and how many
/// follows from the name. A stranger meets what a user with keys would have, and each time the same.
struct UAFPseudonyms: Sendable {
  /// One way in which a model of the server may have attested.
  private struct Kind {
    let model: UAFModelStatement
    let attestationType: UInt16
    let candidate: UAFCandidate

    init(_ model: UAFModelStatement, _ attestationType: UInt16) {
      self.model = model
      self.attestationType = attestationType
      // The newest version there is: some criteria ask for one.
      candidate = UAFCandidate(model, attestationType: attestationType, authenticatorVersion: .max)
    }
  }

  private let pseudonyms: Pseudonyms
  private let kinds: [Kind]
  private let versions: [UAFProtocolVersion]
  private let quota: Int
  /// The sets of which registrations ask for one where nothing else is said.
  private var usual: [Choice] = []

  init(_ pseudonyms: Pseudonyms, settings: UAFSettings) {
    self.pseudonyms = pseudonyms
    quota = settings.quota
    versions = settings.versions
    kinds = settings.speakingModels.flatMap { model in model.attestationTypes.map { Kind(model, $0) } }
    usual = sets(of: settings.usualPolicy)
  }

  /// Their records; none when no model serves the policy. Whoever has no key seems to have registered some as people do
  /// here: each request names those of them that it may name, and only where there is none others, as it does for a
  /// user who has none of the models that it is for.
  func keys(of name: String, in realm: Realm, policy: UAFAcceptancePolicy) -> [UAFRegistrationRecord] {
    let standing = draw(for: name, in: realm, usual)
    let keys = canAnswer(standing, policy) ? standing : draw(for: name, in: realm, sets(of: policy))
    return keys.map { Self.record($0.kind, $0.keyID) }
  }

  /// Whether a request under this policy names some of these keys, as `UAFRelyingParty` makes it.
  private func canAnswer(_ keys: [Key], _ policy: UAFAcceptancePolicy) -> Bool {
    let admitted = keys.map(\.kind).filter { policy.admits($0.candidate) }
    return versions.contains { version in
      let speaking = admitted.filter { $0.model.versions.contains(version) }
      return policy.accepted.contains { set in
        set.allSatisfy { criterion in speaking.contains { criterion.matches($0.candidate) } }
      }
    }
  }

  /// The records of those of these keys that are nobody's: the same ones as under the names that they were made for.
  func keys(
    _ names: [UAFKeyName], in realm: Realm, policy: UAFAcceptancePolicy
  ) -> [UAFRegistrationRecord] {
    names.filter { isNobodys($0, in: realm) }.compactMap { name in
      let kinds = kinds.filter { $0.model.aaid == name.aaid }
      let admitted = kinds.first { kind in
        policy.admits(kind.candidate) && policy.accepted.joined().contains { $0.matches(kind.candidate) }
      }
      return (admitted ?? kinds.first).map { Self.record($0, name.keyID) }
    }
  }

  private typealias Key = (kind: Kind, keyID: [UInt8])
  /// An accepted set, and what may serve it in one version.
  private typealias Choice = (criteria: [UAFAcceptanceCriteria], kinds: [Kind])

  /// What a user of this name would have, who registered some of these sets. A key of one model is the same one
  /// whatever the sets are.
  private func draw(for name: String, in realm: Realm, _ sets: [Choice]) -> [Key] {
    guard !sets.isEmpty else { return [] }
    let shape = pseudonyms.bytes("uaf", for: name, in: realm)
    let count = min(Pseudonyms.count(shape[0]), quota)
    var keys: [Key] = []
    for index in 0..<count {
      let set = sets[Self.number(shape, 1 + 2 * index) % sets.count]
      guard keys.count + set.criteria.count <= quota else { break }
      // Each registration has an order of models of its own, so that each of them comes first for somebody.
      let order = Self.shuffled(set.kinds, pseudonyms.bytes("uaf order \(index)", for: name, in: realm))
      for kind in Self.assignment(set.criteria, order) ?? [] {
        let aaid = kind.model.aaid
        let sisters = keys.count { $0.kind.model.aaid == aaid }
        let head = pseudonyms.bytes("uaf key \(aaid) \(sisters)", for: name, in: realm).prefix(16)
        keys.append((kind, keyID(Array(head), of: aaid, in: realm)))
      }
    }
    return keys
  }

  /// Whether a key was made here for a name of which nobody has one. Whoever signs with it is answered as if it were
  /// somebody's.
  func isNobodys(_ name: UAFKeyName, in realm: Realm) -> Bool {
    guard name.keyID.count == 32 else { return false }
    return ConstantTime.equals(name.keyID, keyID(Array(name.keyID.prefix(16)), of: name.aaid, in: realm))
  }

  /// 16 bytes, and what proves that they are this server's for a model.
  private func keyID(_ head: [UInt8], of aaid: String, in realm: Realm) -> [UInt8] {
    head + pseudonyms.bytes("uaf nobody \(aaid)", for: Hex.encode(head), in: realm).prefix(16)
  }

  /// In an order that follows from the bytes, by SplitMix64: it has to be the same each time and need not be secret.
  private static func shuffled(_ kinds: [Kind], _ bytes: [UInt8]) -> [Kind] {
    var state = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    var kinds = kinds
    for place in kinds.indices.dropFirst().reversed() {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      mixed ^= mixed >> 31
      kinds.swapAt(place, Int(mixed % UInt64(place + 1)))
    }
    return kinds
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

  /// The accepted sets that somebody could have registered, each with what may serve it in one version: a response is
  /// in one, and so are the models that make it. A set with more keys than a user may have is nobody's.
  private func sets(of policy: UAFAcceptancePolicy) -> [Choice] {
    let admitted = kinds.filter { policy.admits($0.candidate) }
    return policy.accepted.filter { $0.count <= quota }.flatMap { set in
      versions.compactMap { version in
        let serving = admitted.filter { kind in
          kind.model.versions.contains(version) && set.contains { $0.matches(kind.candidate) }
        }
        return Self.assignment(set, serving) == nil ? nil : (set, serving)
      }
    }
  }

  /// A kind for each criterion, the earlier ones first. No model serves two: a client never has two authenticators of
  /// one.
  private static func assignment(_ set: [UAFAcceptanceCriteria], _ kinds: [Kind]) -> [Kind]? {
    var known: Set<String> = []
    let models = kinds.filter { known.insert($0.model.aaid).inserted }
    let chosen = UAFAcceptancePolicy(accepted: [set]).match(
      models.map { model in
        // Whatever kinds of attestation it has among these.
        var candidate = model.candidate
        candidate.attestationTypes = kinds.filter { $0.model.aaid == model.model.aaid }.map(\.attestationType)
        return candidate
      })
    guard let chosen else { return nil }
    return zip(set, chosen).compactMap { criterion, place in
      kinds.first { $0.model.aaid == models[place].model.aaid && criterion.matches($0.candidate) }
    }
  }

  private static func record(_ kind: Kind, _ keyID: [UInt8]) -> UAFRegistrationRecord {
    UAFRegistrationRecord(
      aaid: kind.model.aaid, keyID: keyID, publicKey: UAFNobodysPublicKey.bytes(kind.model.keyForm),
      keyForm: kind.model.keyForm, signatureForm: kind.model.signatureForm, signCounter: 0, registrationCounter: 0,
      authenticatorVersion: .max,
      attestationType: kind.attestationType)
  }
}
