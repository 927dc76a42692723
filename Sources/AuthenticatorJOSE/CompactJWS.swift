public import AuthenticatorCoding
public import AuthenticatorCrypto

/// A JSON Web Signature in compact serialization (RFC 7515 section 7.1), read but not necessarily verified.
///
/// Reading needs no key and looks up nothing: `jku`, `x5u`, `x5c` and `jwk` of the header have no effect. A caller that
/// expects a key in the header, as the binding of a device does, asks for `headerKey()` and decides itself.
public struct CompactJWS: Hashable, Sendable {
  /// The protected header.
  public let header: JSONObject
  /// The header's `alg`. Names nothing that may be used: the verifier pins its own.
  public let algorithm: SignatureAlgorithm
  /// The header's `kid`.
  public let keyID: String?
  /// The payload's bytes as they were signed.
  public let payload: [UInt8]
  /// The bytes of the third segment.
  public let signature: [UInt8]
  /// The first two segments with their dot, as received.
  public let signingInput: [UInt8]

  /// The longest token, in bytes, that is read unless the caller says otherwise: 64 KiB.
  public static let defaultLimit = 1 << 16
  /// The longest `kid`, in bytes.
  public static let keyIDLimit = 2048
  private static let headerLimits = JSONLimits(bytes: 1 << 15, depth: 8, textBytes: 1 << 14, values: 256)

  /// Reads a token strictly.
  ///
  /// Refused, with the `JOSEError` codes named: more bytes than `limit` (`tooLarge`), other than three segments
  /// (`malformedToken`), padding, foreign characters or left-over bits (`invalidEncoding`), a header that is no JSON
  /// object or lacks a textual `alg` (`invalidHeader`), `alg` `none` (`unsupportedAlgorithm`), a member twice
  /// (`duplicateMember`), `crit` and `b64` (`criticalHeader`), an empty signature (`invalidSignature`).
  public static func parse(_ text: String, limit: Int = defaultLimit) throws(JOSEError) -> CompactJWS {
    guard text.utf8.count <= limit else { throw JOSEError(.tooLarge, "the token is too long") }
    return try CompactJWS(CompactSegments(Array(text.utf8)))
  }

  init(_ segments: CompactSegments) throws(JOSEError) {
    header = try JSONObject.parse(
      try segments.decode(segments.header), limits: Self.headerLimits, orThrow: .invalidHeader)
    (algorithm, keyID) = try Self.check(header)
    payload = try segments.decode(segments.payload)
    signature = try segments.decode(segments.signature)
    guard !signature.isEmpty else { throw JOSEError(.invalidSignature, "the signature is missing") }
    signingInput = Array(segments.signingInput)
  }

  /// What holds for every header, read or written.
  private static func check(_ header: JSONObject) throws(JOSEError) -> (SignatureAlgorithm, String?) {
    guard header["crit"] == nil, header["b64"] == nil else {
      throw JOSEError(.criticalHeader, "the header asks for an extension")
    }
    guard let algorithm = header["alg"]?.stringValue else { throw JOSEError(.invalidHeader, "alg is not a string") }
    guard !algorithm.isEmpty, algorithm.lowercased() != "none" else {
      throw JOSEError(.unsupportedAlgorithm, "the token is not signed")
    }
    guard let value = header["kid"] else { return (SignatureAlgorithm(rawValue: algorithm), nil) }
    guard let keyID = value.stringValue else { throw JOSEError(.invalidHeader, "kid is not a string") }
    guard keyID.utf8.count <= keyIDLimit else { throw JOSEError(.tooLarge, "kid is too long") }
    return (SignatureAlgorithm(rawValue: algorithm), keyID)
  }

  /// The public key the header carries; nil when it carries none. Nothing vouches for it but the token itself.
  public func headerKey() throws(JOSEError) -> JWK? {
    guard let value = header["jwk"] else { return nil }
    guard let object = value.objectValue else { throw JOSEError(.invalidKey, "jwk is not an object") }
    return try JWK(object)
  }

  /// The payload as a JSON object. Meaningful only after the signature was checked.
  public func claims(limits: JSONLimits = .default) throws(JOSEError) -> JSONObject {
    try JSONObject.parse(payload, limits: limits, orThrow: .invalidPayload)
  }

  /// Checks the signature with a key pinned to one algorithm.
  ///
  /// Throws `unsupportedAlgorithm` when the header names another or the key is not one for it, and `invalidSignature`
  /// when the signature is malformed or wrong.
  public func verify(with key: PublicKey, algorithm: SignatureAlgorithm) throws(JOSEError) {
    try requireAlgorithm(algorithm)
    let verifier: Verifier
    do {
      verifier = try Verifier(key, algorithm: algorithm)
    } catch {
      let code: JOSEError.Code = error.code == .unsupportedAlgorithm ? .unsupportedAlgorithm : .cryptoFailed
      throw JOSEError(code, "the key cannot check this algorithm", underlying: error)
    }
    try verify(with: verifier)
  }

  /// Checks the signature with a prepared key; otherwise the same.
  public func verify(with verifier: Verifier) throws(JOSEError) {
    try requireAlgorithm(verifier.algorithm)
    let isValid: Bool
    do {
      let signature = try Signature(raw: signature, algorithm: verifier.algorithm)
      isValid = try verifier.isValidSignature(signature, for: signingInput)
    } catch {
      let code: JOSEError.Code = error.code == .invalidSignature ? .invalidSignature : .cryptoFailed
      throw JOSEError(code, "the signature cannot be checked", underlying: error)
    }
    guard isValid else { throw JOSEError(.invalidSignature, "the signature is wrong") }
  }

  private func requireAlgorithm(_ expected: SignatureAlgorithm) throws(JOSEError) {
    guard algorithm == expected else {
      throw JOSEError(.unsupportedAlgorithm, "the key is pinned to another algorithm")
    }
  }
}

// MARK: - Signing

extension CompactJWS {
  /// Makes a token. The header needs `alg`; it is written as given.
  ///
  /// `sign` receives the signing input and returns the signature over it. Throws what `sign` throws, and `JOSEError`
  /// for a header that could not be read back, or a signature of another algorithm than the header names.
  public static func sign(
    header: JSONObject, payload: [UInt8], with sign: ([UInt8]) async throws -> Signature
  ) async throws -> String {
    let input = try signingInput(header: header, payload: payload)
    return try assemble(input, try await sign(Array(input.utf8)), header)
  }

  /// Makes a token with a key in memory.
  public static func sign(header: JSONObject, payload: [UInt8], with key: PrivateKey) throws -> String {
    let input = try signingInput(header: header, payload: payload)
    return try assemble(input, try key.sign(Array(input.utf8)), header)
  }

  private static func signingInput(header: JSONObject, payload: [UInt8]) throws(JOSEError) -> String {
    _ = try check(header)
    return "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(payload))"
  }

  private static func assemble(
    _ input: String, _ signature: Signature, _ header: JSONObject
  ) throws(JOSEError) -> String {
    guard header["alg"]?.stringValue == signature.algorithm.rawValue else {
      throw JOSEError(.unsupportedAlgorithm, "the signature is of another algorithm than the header names")
    }
    return "\(input).\(Base64URL.encode(signature.rawRepresentation))"
  }
}
