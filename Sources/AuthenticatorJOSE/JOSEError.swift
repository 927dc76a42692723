internal import AuthenticatorCoding
public import AuthenticatorCrypto

/// Why a token or a key was refused. The text is fixed: it holds nothing of the token. Errors with equal codes are
/// equal.
public struct JOSEError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An open set of reasons.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name.
    public let rawValue: String
    /// Names a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not three segments with dots between them.
    public static let malformedToken = Code(rawValue: "malformedToken")
    /// The token, or a part of it, is larger or deeper than allowed.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// A segment is not canonical base64url without padding.
    public static let invalidEncoding = Code(rawValue: "invalidEncoding")
    /// The header is not a JSON object, or a member of it has the wrong type.
    public static let invalidHeader = Code(rawValue: "invalidHeader")
    /// The payload is not a JSON object.
    public static let invalidPayload = Code(rawValue: "invalidPayload")
    /// The header or the payload has a member twice.
    public static let duplicateMember = Code(rawValue: "duplicateMember")
    /// The algorithm is not the one the key is pinned to, or none at all.
    public static let unsupportedAlgorithm = Code(rawValue: "unsupportedAlgorithm")
    /// The header asks for an extension (`crit`, `b64`); this module knows none (RFC 7515 section 4.1.11, RFC 7797).
    public static let criticalHeader = Code(rawValue: "criticalHeader")
    /// No key goes by the token's `kid`, or the token has none.
    public static let unknownKey = Code(rawValue: "unknownKey")
    /// A JWK is malformed, private, or of an unsupported kind.
    public static let invalidKey = Code(rawValue: "invalidKey")
    /// The signature or code is malformed, or not one of these bytes by this key.
    public static let invalidSignature = Code(rawValue: "invalidSignature")
    /// `exp` has passed.
    public static let expired = Code(rawValue: "expired")
    /// `nbf` or `iat` lies ahead.
    public static let notYetValid = Code(rawValue: "notYetValid")
    /// The token lives longer than allowed.
    public static let lifetimeExceeded = Code(rawValue: "lifetimeExceeded")
    /// `iss` is missing or not one of the expected.
    public static let issuerMismatch = Code(rawValue: "issuerMismatch")
    /// `aud` is missing or does not name the expected audience.
    public static let audienceMismatch = Code(rawValue: "audienceMismatch")
    /// `purpose` is missing or another.
    public static let purposeMismatch = Code(rawValue: "purposeMismatch")
    /// Another claim is missing, has the wrong type, or is not the expected one.
    public static let claimMismatch = Code(rawValue: "claimMismatch")
    /// The cryptographic library failed; `underlying` says how.
    public static let cryptoFailed = Code(rawValue: "cryptoFailed")
  }

  /// The reason.
  public let code: Code
  /// A fixed sentence.
  public let reason: String
  /// What the cryptographic layer said, when it was asked.
  public let underlying: CryptoError?

  /// Makes an error; `reason` is written in the source, so it can hold no input.
  public init(_ code: Code, _ reason: StaticString, underlying: CryptoError? = nil) {
    self.code = code
    self.reason = "\(reason)"
    self.underlying = underlying
  }

  /// The code and the sentence.
  public var description: String { "\(code.rawValue): \(reason)" }

  public static func == (left: JOSEError, right: JOSEError) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension JSONObject {
  /// Reads a header or payload; `code` is for a text that is no object.
  static func parse(
    _ bytes: [UInt8], limits: JSONLimits, orThrow code: JOSEError.Code
  ) throws(JOSEError) -> JSONObject {
    let value: JSONValue
    do {
      value = try JSONValue.parse(bytes, limits: limits)
    } catch {
      switch error.kind {
      case .duplicateMember: throw JOSEError(.duplicateMember, "a member occurs twice")
      case .tooDeep, .tooLong, .textTooLong, .tooManyValues: throw JOSEError(.tooLarge, "the JSON is too large")
      default: throw JOSEError(code, "not JSON")
      }
    }
    guard case .object(let object) = value else { throw JOSEError(code, "not a JSON object") }
    return object
  }
}
