import AuthenticatorCoding

/// The signed half of an authentication (FIDO UAF Authenticator Commands, TAG_UAFV1_SIGNED_DATA).
public struct AuthenticationSignedData: Hashable, Sendable {
  /// The model.
  public var aaid: AAID
  /// Version, mode and algorithm.
  public var info: AssertionInfo
  /// Random bytes of the authenticator, 8 or more.
  public var nonce: [UInt8]
  /// The hash of the final challenge parameters.
  public var finalChallengeHash: [UInt8]
  /// The hash of the transaction's decoded content; empty when there was none.
  public var transactionContentHash: [UInt8]
  /// The key's identifier.
  public var keyID: UAFKeyID
  /// How often the key has signed.
  public var signCounter: UInt32
  /// The enrolled set, in this key's own form; nil: the model does not report it.
  public var userVerificationState: [UInt8]?
  /// Signed extensions.
  public var extensions: [AssertionExtension] = []

  /// The whole element: what the key signs.
  func encoded() throws(TLVError) -> [UInt8] {
    var writer = TLVWriter()
    try writer.write(.signedData) { (inner) throws(TLVError) in
      try inner.write(.aaid, aaid.rawValue.utf8)
      try inner.write(.assertionInfo, info.bytes)
      try inner.write(.authenticatorNonce, nonce)
      try inner.write(.finalChallengeHash, finalChallengeHash)
      try inner.write(.transactionContentHash, transactionContentHash)
      try inner.write(.keyID, keyID.bytes)
      var counter = ByteWriter(capacity: 4)
      counter.write(signCounter, order: .littleEndian)
      try inner.write(.counters, counter.bytes)
      if let userVerificationState { try inner.write(.userVerificationState, userVerificationState) }
      for one in extensions { try one.write(to: &inner) }
    }
    return writer.bytes
  }
}

/// What an authenticator answers to an authentication.
public struct AuthenticationAssertion: Hashable, Sendable {
  /// What was signed, read.
  public let signedData: AuthenticationSignedData
  /// What was signed, as it was.
  public let signedBytes: [UInt8]
  /// By the key of `signedData.keyID`.
  public let signature: [UInt8]

  static func encode(_ signed: [UInt8], signature: [UInt8]) throws(TLVError) -> [UInt8] {
    var writer = TLVWriter()
    try writer.write(.authenticationAssertion) { (inner) throws(TLVError) in
      inner.append(signed)
      try inner.write(.signature, signature)
    }
    guard writer.bytes.count <= TLVElement.maximumBytes else { throw .tooLarge }
    return writer.bytes
  }

  /// Reads an assertion; the signature is not checked.
  /// - Throws: `TLVError`.
  public init(_ bytes: [UInt8]) throws(TLVError) {
    let root = try TLVElement(bytes)
    guard root.tag == .authenticationAssertion else { throw .unexpected(root.tag) }
    try root.admit([.signedData, .signature, .criticalExtension, .nonCriticalExtension])
    let signed = try root.only(.signedData)
    guard root.elements.first?.tag == .signedData else { throw .outOfOrder(.signedData) }
    try signed.admit([
      .aaid, .assertionInfo, .authenticatorNonce, .finalChallengeHash, .transactionContentHash, .keyID, .counters,
      .userVerificationState, .userVerificationIndex, .criticalExtension, .nonCriticalExtension,
    ])
    let info = try AssertionInfo(try signed.only(.assertionInfo), isRegistration: false)
    let transaction = try signed.only(.transactionContentHash)
    signedData = AuthenticationSignedData(
      aaid: try signed.modelID, info: info, nonce: try signed.only(.authenticatorNonce).bytes(8...64),
      finalChallengeHash: try signed.only(.finalChallengeHash).bytes(1...32),
      transactionContentHash: try transaction.bytes(info.mode == .transactionConfirmed ? 1...32 : 0...0),
      keyID: try signed.registeredKeyID, signCounter: try signed.only(.counters).numbers(1)[0],
      userVerificationState: try signed.optional(.userVerificationState)?.bytes(1...32),
      extensions: try signed.assertionExtensions)
    signedBytes = signed.rawBytes
    signature = try root.only(.signature).bytes(1...1024)
    _ = try root.assertionExtensions
  }
}
