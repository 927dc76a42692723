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
  private let quota: Int

  init(_ pseudonyms: Pseudonyms, settings: UAFSettings) {
    self.pseudonyms = pseudonyms
    quota = settings.quota
    kinds = settings.models.all.flatMap { model in model.attestationTypes.map { Kind(model, $0) } }
  }

  /// Their records; none when no model serves the policy.
  func keys(of name: String, in realm: Realm, policy: UAFAcceptancePolicy) -> [UAFRegistrationRecord] {
    let shape = pseudonyms.bytes("uaf", for: name, in: realm)
    let count = min(Pseudonyms.count(shape[0]), quota)
    var records: [UAFRegistrationRecord] = []
    for index in 0..<count {
      let set = set(Self.number(shape, 1 + 2 * index), of: policy)
      guard !set.isEmpty, records.isEmpty || records.count + set.count <= quota else { break }
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

  /// What serves each criterion of one accepted set: the first from a place on that can be served wholly. Empty: none
  /// can.
  private func set(_ place: Int, of policy: UAFAcceptancePolicy) -> [[Kind]] {
    for step in policy.accepted.indices {
      let set = policy.accepted[(place + step) % policy.accepted.count]
      let choices = set.map { criterion in
        kinds.filter { criterion.matches($0.candidate) && policy.admits($0.candidate) }
      }
      if !choices.contains(where: \.isEmpty) { return choices }
    }
    return []
  }

  private static func record(_ kind: Kind, _ keyID: [UInt8]) -> UAFRegistrationRecord {
    UAFRegistrationRecord(
      aaid: kind.model.aaid, keyID: keyID, publicKey: publicKey(kind.model.keyForm), keyForm: kind.model.keyForm,
      signatureForm: kind.model.signatureForm, signCounter: 0, registrationCounter: 0, authenticatorVersion: .max,
      attestationType: kind.attestationType)
  }

  // MARK: Their public keys

  /// A key of the form, so that a signature is refused after the same work and with the same words as one by a key that
  /// somebody has. It never leaves the server, and whatever it verifies is refused.
  private static func publicKey(_ form: UAFKeyForm) -> [UInt8] {
    switch form {
    case .ecRaw: generator
    case .ecDER: ecHead + generator
    case .rsaRaw: modulus + exponent
    default: [0x30, 0x82, 0x01, 0x0A, 0x02, 0x82, 0x01, 0x01, 0x00] + modulus + [0x02, 0x03] + exponent
    }
  }

  /// The base point of P-256 (SEC 2 section 2.4.2), uncompressed.
  private static let generator: [UInt8] = [
    0x04,
    0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
    0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
    0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16,
    0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
  ]

  /// The head of a SubjectPublicKeyInfo: id-ecPublicKey, prime256v1, a BIT STRING of 65 bytes.
  private static let ecHead: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
    0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  /// An odd number of 2,048 bits.
  private static let modulus: [UInt8] = [0xC5] + (1..<255).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) } + [0x0B]
  private static let exponent: [UInt8] = [0x01, 0x00, 0x01]
}
