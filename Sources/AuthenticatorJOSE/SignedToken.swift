public import AuthenticatorCoding
public import AuthenticatorCrypto

/// The secret keys of a token issuer, by `kid`. Every key is for HS256 and has 256 bits.
///
/// New tokens are made with the current key; tokens by the others are accepted until they are taken out, so keys can
/// be changed while tokens are under way.
public struct TokenKeys: Sendable {
  struct Entry: Sendable {
    let id: String
    let secret: SecretBytes
    /// The first segment of every token made with this key.
    let header: [UInt8]
  }

  /// The `kid` of new tokens.
  public let currentID: String
  let current: Entry
  private let entries: [String: Entry]

  /// Throws `JOSEError.Code.invalidKey` for a key of another length than 32 bytes, and `unknownKey` when the current
  /// one is not among them.
  public init(current: String, keys: [String: SecretBytes]) throws(JOSEError) {
    var entries: [String: Entry] = [:]
    for (id, secret) in keys {
      guard secret.count == 32 else { throw JOSEError(.invalidKey, "a token key has 32 bytes") }
      guard !id.isEmpty, id.utf8.count <= CompactJWS.keyIDLimit else { throw JOSEError(.invalidKey, "a bad kid") }
      let header: JSONObject = ["alg": "HS256", "typ": "JWT", "kid": .string(id)]
      entries[id] = Entry(id: id, secret: secret, header: Array(Base64URL.encode(header.serialized()).utf8))
    }
    guard let entry = entries[current] else { throw JOSEError(.unknownKey, "the current key is missing") }
    currentID = current
    self.current = entry
    self.entries = entries
  }

  func entry(_ id: String?) -> Entry? {
    guard let id, let entry = entries[id], entry.id.isIdentical(to: id) else { return nil }
    return entry
  }
}

/// A token that its issuer gives out and later takes back: a JWT with HMAC-SHA256 (RFC 7519, RFC 7518 section 3.2).
///
/// A value of this type was verified.
public struct SignedToken: Hashable, Sendable {
  /// All claims, those the issuer set included.
  public let claims: JSONObject
  /// The `kid` of the key that made the token.
  public let keyID: String

  private static let names: Set<String> = ["iss", "aud", "purpose", "iat", "nbf", "exp"]

  /// Makes a token that `verify` accepts under the same rules until `lifetime` seconds after `now`.
  ///
  /// `iss` (the first of the issuers), `aud`, `purpose`, `iat` and `exp` are added to the claims, which may not hold
  /// them, and so are the required claims. Throws `claimMismatch` when they do, and `lifetimeExceeded` for a
  /// lifetime that is not positive or beyond the rules.
  public static func issue(
    _ claims: JSONObject, rules: ClaimRules, keys: TokenKeys, now: Int, lifetime: Int
  ) throws(JOSEError) -> String {
    guard lifetime > 0, lifetime <= rules.maximumLifetime ?? .max else {
      throw JOSEError(.lifetimeExceeded, "the lifetime is not within the rules")
    }
    var all = JSONObject()
    if let issuer = rules.issuers.min() { all["iss"] = .string(issuer) }
    if let audience = rules.audience { all["aud"] = .string(audience) }
    if let purpose = rules.purpose { all["purpose"] = .string(purpose) }
    for (name, value) in rules.required.sorted(by: { $0.key < $1.key }) { all[name] = value }
    for member in claims.members {
      guard !names.contains(member.name), all[member.name] == nil else {
        throw JOSEError(.claimMismatch, "a claim is set by the issuer")
      }
      all[member.name] = member.value
    }
    all["iat"] = .integer(Int64(now))
    all["exp"] = .integer(Int64(now.saturatingAdd(lifetime)))
    var token = keys.current.header
    token.append(UInt8(ascii: "."))
    token.append(contentsOf: Base64URL.encode(all.serialized()).utf8)
    let code = HMACSHA256.authenticationCode(for: token, key: keys.current.secret)
    token.append(UInt8(ascii: "."))
    token.append(contentsOf: Base64URL.encode(code).utf8)
    return String(decoding: token, as: UTF8.self)
  }

  /// Takes a token back: the key by `kid`, the code, then the claims by the rules.
  ///
  /// Throws what `CompactJWS.parse` throws, `unknownKey`, `unsupportedAlgorithm` for any `alg` but HS256,
  /// `invalidSignature`, and what `ClaimRules.check` throws.
  public static func verify(
    _ text: String, keys: TokenKeys, rules: ClaimRules, now: Int, limit: Int = CompactJWS.defaultLimit
  ) throws(JOSEError) -> SignedToken {
    guard text.utf8.count <= limit else { throw JOSEError(.tooLarge, "the token is too long") }
    let segments = try CompactSegments(Array(text.utf8))
    let entry = try entry(for: segments, keys: keys)
    let code = try segments.decode(segments.signature)
    guard HMACSHA256.isValid(code, for: segments.signingInput, key: entry.secret) else {
      throw JOSEError(.invalidSignature, "the code is wrong")
    }
    let claims = try JSONObject.parse(
      try segments.decode(segments.payload), limits: .default, orThrow: .invalidPayload)
    try rules.check(claims, now: now)
    return SignedToken(claims: claims, keyID: entry.id)
  }

  private static func entry(for segments: CompactSegments, keys: TokenKeys) throws(JOSEError) -> TokenKeys.Entry {
    // Nearly every token has the very header the current key writes; only others need to be read.
    if segments.header.elementsEqual(keys.current.header) { return keys.current }
    let token = try CompactJWS(segments)
    guard let entry = keys.entry(token.keyID) else { throw JOSEError(.unknownKey, "no key goes by this kid") }
    guard token.algorithm.rawValue == "HS256" else {
      throw JOSEError(.unsupportedAlgorithm, "the key is pinned to HS256")
    }
    return entry
  }
}
