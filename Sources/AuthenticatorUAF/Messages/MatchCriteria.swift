import AuthenticatorCoding
import AuthenticatorCore

/// What an authenticator must be like; it matches when every field that is there does (FIDO UAF Protocol, section
/// "MatchCriteria").
public struct MatchCriteria: Hashable, Sendable {
  /// One of these models.
  public var aaid: [AAID]?
  /// A model of one of these vendors, four hexadecimal digits in capitals.
  public var vendorID: [String]?
  /// One of these keys is registered with it.
  public var keyIDs: [UAFKeyID]?
  /// How it verifies.
  public var userVerification: UserVerificationMethods?
  /// How it keeps keys.
  public var keyProtection: KeyProtectionTypes?
  /// Where it compares.
  public var matcherProtection: MatcherProtectionTypes?
  /// How it is connected.
  public var attachmentHint: AttachmentHint?
  /// Who shows transactions.
  public var tcDisplay: TransactionConfirmationDisplay?
  /// One of these algorithms.
  public var authenticationAlgorithms: [UAFAlgorithm]?
  /// One of these schemes.
  public var assertionSchemes: [String]?
  /// One of these attestations, best first.
  public var attestationTypes: [UAFAttestationType]?
  /// Deprecated: a client cannot know the version, so it is read and not looked at.
  public var authenticatorVersion: UInt16?
  /// Extensions.
  public var exts: [UAFExtension]

  /// Criteria that everything matches, unless something is said.
  public init(
    aaid: [AAID]? = nil, vendorID: [String]? = nil, keyIDs: [UAFKeyID]? = nil,
    userVerification: UserVerificationMethods? = nil, keyProtection: KeyProtectionTypes? = nil,
    matcherProtection: MatcherProtectionTypes? = nil, attachmentHint: AttachmentHint? = nil,
    tcDisplay: TransactionConfirmationDisplay? = nil, authenticationAlgorithms: [UAFAlgorithm]? = nil,
    assertionSchemes: [String]? = nil, attestationTypes: [UAFAttestationType]? = nil,
    authenticatorVersion: UInt16? = nil, exts: [UAFExtension] = []
  ) {
    self.aaid = aaid
    self.vendorID = vendorID
    self.keyIDs = keyIDs
    self.userVerification = userVerification
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
    self.attachmentHint = attachmentHint
    self.tcDisplay = tcDisplay
    self.authenticationAlgorithms = authenticationAlgorithms
    self.assertionSchemes = assertionSchemes
    self.attestationTypes = attestationTypes
    self.authenticatorVersion = authenticatorVersion
    self.exts = exts
  }

  init(_ element: JSONElement) throws {
    guard let members = element.members else { throw MessageMembers.error("policy", "is missing or no object") }
    self.init()
    var besideAAID: String?
    for (name, value) in members {
      switch name {
      case "aaid": aaid = try Self.list(name, value) { $0.stringValue.flatMap(AAID.init) }
      case "keyIDs": keyIDs = try Self.list(name, value) { $0.base64URLValue.flatMap { UAFKeyID(bytes: $0) } }
      case "attachmentHint": attachmentHint = AttachmentHint(rawValue: try Self.number(name, value))
      // Clients cannot know it, so it is read and not looked at.
      case "authenticatorVersion": authenticatorVersion = try Self.number(name, value)
      case "exts": exts = try UAFExtension.list(value, "policy.exts")
      default:
        besideAAID = besideAAID ?? name
        try read(name, value)
      }
    }
    if aaid != nil, let besideAAID {
      throw MessageMembers.error("policy.aaid", "is combined with \(besideAAID)")
    }
  }

  /// Reads a member that does not stand beside models. Passing over an unknown one could widen what is allowed.
  private mutating func read(_ name: String, _ value: JSONElement) throws {
    switch name {
    case "vendorID":
      vendorID = try Self.list(name, value) { element in
        element.stringValue.flatMap { AAID($0 + "#0000")?.vendorID }
      }
    case "userVerification": userVerification = UserVerificationMethods(rawValue: try Self.number(name, value))
    case "keyProtection": keyProtection = KeyProtectionTypes(rawValue: try Self.number(name, value))
    case "matcherProtection": matcherProtection = MatcherProtectionTypes(rawValue: try Self.number(name, value))
    case "tcDisplay": tcDisplay = TransactionConfirmationDisplay(rawValue: try Self.number(name, value))
    case "authenticationAlgorithms":
      authenticationAlgorithms = try Self.list(name, value) { $0.code.map(UAFAlgorithm.init) }
    case "assertionSchemes":
      assertionSchemes = try Self.list(name, value) { element in
        element.stringValue.flatMap { $0.isEmpty ? nil : $0 }
      }
    case "attestationTypes": attestationTypes = try Self.list(name, value) { $0.code.map(UAFAttestationType.init) }
    default: throw MessageMembers.unknown(name, in: "policy")
    }
  }

  private static func malformed(_ name: String) -> AuthenticatorError {
    MessageMembers.error("policy.\(name)", "is malformed")
  }

  private static func number<Value: FixedWidthInteger>(_ name: String, _ value: JSONElement) throws -> Value {
    guard let number = value.intValue, let exact = Value(exactly: number) else { throw malformed(name) }
    return exact
  }

  /// A list of which each element is one value.
  private static func list<Value>(
    _ name: String, _ value: JSONElement, _ read: (JSONElement) -> Value?
  ) throws -> [Value] {
    guard let elements = value.elements, (1...1024).contains(elements.count) else { throw malformed(name) }
    return try elements.map { element in
      guard let value = read(element) else { throw malformed(name) }
      return value
    }
  }
}

extension JSONElement {
  /// A number of the registry, 16 bits.
  fileprivate var code: UInt16? { intValue.flatMap(UInt16.init(exactly:)) }
}
