/// What went wrong in a cryptographic operation.
///
/// The text names the rule that was broken and never the bytes that broke it. Two errors are equal when their codes
/// are.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An open set of situations; further modules may add their own.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name.
    public let rawValue: String
    /// Names a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The key is malformed: wrong length, off the curve, too small or too large.
    public static let invalidKey = Code(rawValue: "invalidKey")
    /// The signature is malformed: wrong length, not strict DER, or out of range.
    public static let invalidSignature = Code(rawValue: "invalidSignature")
    /// The algorithm is unknown, or does not go with the key.
    public static let unsupportedAlgorithm = Code(rawValue: "unsupportedAlgorithm")
    /// A length or cost parameter lies outside its bounds.
    public static let invalidParameter = Code(rawValue: "invalidParameter")
    /// A sealed message, or a code over one, does not authenticate.
    public static let authenticationFailed = Code(rawValue: "authenticationFailed")
    /// Memory could not be had.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// The underlying library failed; `libraryCode` says where.
    public static let libraryFailed = Code(rawValue: "libraryFailed")
  }

  /// The situation.
  public let code: Code
  /// A fixed sentence; holds no input.
  public let reason: String
  /// The packed number of OpenSSL's oldest queued error, when there was one.
  public let libraryCode: UInt?

  /// Makes an error; `reason` is written in the source, so it can hold no input.
  public init(_ code: Code, _ reason: StaticString, libraryCode: UInt? = nil) {
    self.code = code
    self.reason = "\(reason)"
    self.libraryCode = libraryCode
  }

  public var description: String {
    guard let libraryCode else { return "\(code.rawValue): \(reason)" }
    return "\(code.rawValue): \(reason) (OpenSSL error 0x\(String(libraryCode, radix: 16)))"
  }

  public static func == (left: CryptoError, right: CryptoError) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
