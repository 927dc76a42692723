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

  init(_ pseudonyms: Pseudonyms, settings: UAFSettings) {
    self.pseudonyms = pseudonyms
    quota = settings.quota
    versions = settings.versions
    kinds = settings.speakingModels.flatMap { model in model.attestationTypes.map { Kind(model, $0) } }
  }

  /// Their records; none when no model serves the policy.
  func keys(of name: String, in realm: Realm, policy: UAFAcceptancePolicy) -> [UAFRegistrationRecord] {
    let sets = sets(of: policy)
    guard !sets.isEmpty else { return [] }
    let shape = pseudonyms.bytes("uaf", for: name, in: realm)
    let count = min(Pseudonyms.count(shape[0]), quota)
    var records: [UAFRegistrationRecord] = []
    for index in 0..<count {
      let set = sets[Self.number(shape, 1 + 2 * index) % sets.count]
      guard records.isEmpty || records.count + set.count <= quota else { break }
      for choices in set {
        let seed = pseudonyms.bytes("uaf kind \(records.count)", for: name, in: realm)
        let kind = choices[Self.number(seed, 0) % choices.count]
        let head = pseudonyms.bytes("uaf key \(records.count)", for: name, in: realm).prefix(16)
        records.append(Self.record(kind, keyID(Array(head), of: kind.model.aaid, in: realm)))
      }
    }
    return records
  }

  /// The records of those of these keys that are nobody's: the same ones as under the names that they were made for.
  func keys(_ names: [UAFKeyName], in realm: Realm) -> [UAFRegistrationRecord] {
    names.filter { isNobodys($0, in: realm) }.compactMap { name in
      kinds.first { $0.model.aaid == name.aaid }.map { Self.record($0, name.keyID) }
    }
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

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

  /// What serves each criterion of an accepted set, for the sets that can be served wholly. A response is in one
  /// version, and so are the models that make it: keys that have no version in common would stand in no request.
  private func sets(of policy: UAFAcceptancePolicy) -> [[[Kind]]] {
    let admitted = kinds.filter { policy.admits($0.candidate) }
    return policy.accepted.flatMap { set in
      versions.compactMap { version in
        let choices = set.map { criterion in
          admitted.filter { $0.model.versions.contains(version) && criterion.matches($0.candidate) }
        }
        return choices.contains(where: \.isEmpty) ? nil : choices
      }
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
