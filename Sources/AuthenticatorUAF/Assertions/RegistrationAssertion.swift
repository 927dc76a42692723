import AuthenticatorCoding

/// The signed half of a registration: which key, of which model, for which challenge (FIDO UAF Authenticator Commands,
/// TAG_UAFV1_KRD).
public struct KeyRegistrationData: Hashable, Sendable {
  /// The model.
  public var aaid: AAID
  /// Version, algorithms, key form.
  public var info: AssertionInfo
  /// The hash of the final challenge parameters.
  public var finalChallengeHash: [UInt8]
  /// The key's identifier.
  public var keyID: UAFKeyID
  /// How often the key has signed.
  public var signCounter: UInt32
  /// How many keys the authenticator has made.
  public var registrationCounter: UInt32
  /// The public key in the form that `info` names.
  public var publicKey: [UInt8]
  /// The enrolled set, in this key's own form; nil: the model does not report it.
  public var userVerificationState: [UInt8]?
  /// Signed extensions.
  public var extensions: [AssertionExtension] = []

  /// The whole element: what the attestation signs.
  func encoded() throws(TLVError) -> [UInt8] {
    var writer = TLVWriter()
    try writer.write(.keyRegistrationData) { (inner) throws(TLVError) in
      try inner.write(.aaid, Array(aaid.rawValue.utf8))
      try inner.write(.assertionInfo, info.bytes)
      try inner.write(.finalChallengeHash, finalChallengeHash)
      try inner.write(.keyID, keyID.bytes)
      var counters = ByteWriter(capacity: 8)
      counters.write(signCounter, order: .littleEndian)
      counters.write(registrationCounter, order: .littleEndian)
      try inner.write(.counters, counters.bytes)
      try inner.write(.publicKey, publicKey)
      if let userVerificationState { try inner.write(.userVerificationState, userVerificationState) }
      for one in extensions { try one.write(to: &inner) }
    }
    return writer.bytes
  }
}

/// What an authenticator answers to a registration.
public struct RegistrationAssertion: Hashable, Sendable {
  /// How the key is attested.
  public enum Attestation: Hashable, Sendable {
    /// By the key of the first certificate; each further certificate issued the one before.
    case basicFull(signature: [UInt8], chain: [[UInt8]])
    /// By the new key itself.
    case basicSurrogate(signature: [UInt8])
  }

  /// What was signed, read.
  public let keyRegistrationData: KeyRegistrationData
  /// What was signed, as it was.
  public let signedBytes: [UInt8]
  /// Who signed it.
  public let attestation: Attestation

  static func encode(_ signed: [UInt8], _ attestation: Attestation) throws(TLVError) -> [UInt8] {
    var writer = TLVWriter()
    try writer.write(.registrationAssertion) { (inner) throws(TLVError) in
      inner.append(signed)
      switch attestation {
      case .basicFull(let signature, let chain):
        try inner.write(.attestationBasicFull) { (full) throws(TLVError) in
          try full.write(.signature, signature)
          for certificate in chain { try full.write(.attestationCertificate, certificate) }
        }
      case .basicSurrogate(let signature):
        try inner.write(.attestationBasicSurrogate) { (surrogate) throws(TLVError) in
          try surrogate.write(.signature, signature)
        }
      }
    }
    guard writer.bytes.count <= TLVElement.maximumBytes else { throw .tooLarge }
    return writer.bytes
  }

  /// Reads an assertion; signatures are not checked.
  /// - Throws: `TLVError`.
  public init(_ bytes: [UInt8]) throws(TLVError) {
    let root = try TLVElement(bytes)
    guard root.tag == .registrationAssertion else { throw .unexpected(root.tag) }
    try root.admit([
      .keyRegistrationData, .attestationBasicFull, .attestationBasicSurrogate, .criticalExtension,
      .nonCriticalExtension,
    ])
    let signed = try root.only(.keyRegistrationData)
    guard root.elements.first?.tag == .keyRegistrationData else { throw .outOfOrder(.keyRegistrationData) }
    try signed.admit([
      .aaid, .assertionInfo, .finalChallengeHash, .keyID, .counters, .publicKey, .userVerificationState,
      .userVerificationIndex, .criticalExtension, .nonCriticalExtension,
    ])
    let counters = try signed.only(.counters).numbers(2)
    keyRegistrationData = KeyRegistrationData(
      aaid: try signed.modelID, info: try AssertionInfo(try signed.only(.assertionInfo), isRegistration: true),
      finalChallengeHash: try signed.only(.finalChallengeHash).bytes(1...32), keyID: try signed.registeredKeyID,
      signCounter: counters[0], registrationCounter: counters[1],
      publicKey: try signed.only(.publicKey).bytes(1...1024),
      userVerificationState: try signed.optional(.userVerificationState)?.bytes(1...32),
      extensions: try signed.assertionExtensions)
    signedBytes = signed.rawBytes
    let full = try root.optional(.attestationBasicFull)
    let surrogate = try root.optional(.attestationBasicSurrogate)
    switch (full, surrogate) {
    case (let full?, nil):
      try full.admit([.signature, .attestationCertificate])
      let chain = full.elements.filter { $0.tag == .attestationCertificate }.map(\.value)
      guard !chain.isEmpty else { throw .missing(.attestationCertificate) }
      attestation = .basicFull(signature: try full.only(.signature).bytes(1...1024), chain: chain)
    case (nil, let surrogate?):
      try surrogate.admit([.signature])
      attestation = .basicSurrogate(signature: try surrogate.only(.signature).bytes(1...1024))
    case (.some, .some): throw .unexpected(.attestationBasicSurrogate)
    case (nil, nil): throw .missing(.attestationBasicSurrogate)
    }
    _ = try root.assertionExtensions
  }
}
