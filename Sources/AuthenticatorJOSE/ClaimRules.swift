public import AuthenticatorCoding

/// What a verifier expects of a token's claims (RFC 7519 section 4.1). Times are whole seconds since 1970.
public struct ClaimRules: Sendable {
  /// The accepted values of `iss`; empty: not checked.
  public var issuers: Set<String>
  /// A value `aud` must have or contain; nil: not checked.
  public var audience: String?
  /// The value of `purpose`, which keeps tokens of one issuer for different uses apart; nil: not checked.
  public var purpose: String?
  /// Claims that must be exactly these; strings are compared byte by byte.
  public var required: [String: JSONValue]
  /// The most `exp - iat` may be, in seconds; with it, `iat` is required. Nil: not checked.
  public var maximumLifetime: Int?
  /// By how many seconds the clocks may differ.
  public var skew: Int

  /// Makes rules; without arguments, only the times are checked.
  public init(
    issuers: Set<String> = [], audience: String? = nil, purpose: String? = nil, required: [String: JSONValue] = [:],
    maximumLifetime: Int? = nil, skew: Int = 0
  ) {
    self.issuers = issuers
    self.audience = audience
    self.purpose = purpose
    self.required = required
    self.maximumLifetime = maximumLifetime
    self.skew = skew
  }

  /// Throws a `JOSEError` that names the first rule the claims break.
  ///
  /// `exp` is always required. Times must be written as integers: a fraction, which RFC 7519 would allow, is refused,
  /// since no token this module expects has one.
  public func check(_ claims: JSONObject, now: Int) throws(JOSEError) {
    try checkTimes(claims, now: now)
    if !issuers.isEmpty {
      guard let issuer = claims["iss"]?.stringValue, issuers.contains(where: { $0.isIdentical(to: issuer) }) else {
        throw JOSEError(.issuerMismatch, "the issuer is not expected")
      }
    }
    if let audience, !isAddressed(claims["aud"], to: audience) {
      throw JOSEError(.audienceMismatch, "the token is for another audience")
    }
    if let purpose {
      guard let value = claims["purpose"]?.stringValue, value.isIdentical(to: purpose) else {
        throw JOSEError(.purposeMismatch, "the token has another purpose")
      }
    }
    for (name, expected) in required {
      guard let value = claims[name], value.isIdentical(to: expected) else {
        throw JOSEError(.claimMismatch, "a claim is not the expected one")
      }
    }
  }

  private func checkTimes(_ claims: JSONObject, now: Int) throws(JOSEError) {
    guard let expiry = try time("exp", of: claims) else { throw JOSEError(.claimMismatch, "exp is missing") }
    let (earliest, latest) = (now.saturatingSubtract(skew), now.saturatingAdd(skew))
    guard expiry > earliest else { throw JOSEError(.expired, "the token has expired") }
    if let start = try time("nbf", of: claims), start > latest {
      throw JOSEError(.notYetValid, "the token is not valid yet")
    }
    let issued = try time("iat", of: claims)
    if let issued, issued > latest { throw JOSEError(.notYetValid, "the token was issued in the future") }
    if let maximumLifetime {
      guard let issued else { throw JOSEError(.claimMismatch, "iat is missing") }
      guard expiry.saturatingSubtract(issued) <= maximumLifetime else {
        throw JOSEError(.lifetimeExceeded, "the token lives too long")
      }
    }
  }

  private func time(_ name: String, of claims: JSONObject) throws(JOSEError) -> Int? {
    guard let value = claims[name] else { return nil }
    guard let time = value.intValue else { throw JOSEError(.claimMismatch, "a time is not a whole number") }
    return time
  }

  private func isAddressed(_ value: JSONValue?, to audience: String) -> Bool {
    switch value {
    case .string(let text): text.isIdentical(to: audience)
    case .array(let elements): elements.contains { $0.stringValue?.isIdentical(to: audience) == true }
    default: false
    }
  }
}

extension JSONValue {
  func isIdentical(to other: JSONValue) -> Bool { serialized() == other.serialized() }
}

extension Int {
  func saturatingAdd(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  func saturatingSubtract(_ other: Int) -> Int {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
