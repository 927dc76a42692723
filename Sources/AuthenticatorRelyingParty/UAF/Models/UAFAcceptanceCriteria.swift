public import AuthenticatorCoding

/// One criterion of a policy: it matches an authenticator when every field that is present does (UAF Protocol 1.1
/// section 3.1.12, "Match Criteria").
public struct UAFAcceptanceCriteria: Hashable, Sendable {
  /// Model names in upper case; nil: any.
  public var aaids: [String]?
  /// The first four characters of model names, in upper case; nil: any.
  public var vendorIDs: [String]?
  /// Keys, one of which must be the authenticator's, in base64url; nil: any.
  public var keyIDs: [String]?
  /// Flags of methods; nil: any.
  public var userVerification: UInt32?
  /// Flags; nil: any.
  public var keyProtection: UInt16?
  /// Flags; nil: any.
  public var matcherProtection: UInt16?
  /// Flags; nil: any.
  public var attachmentHint: UInt32?
  /// Flags; nil: any.
  public var tcDisplay: UInt16?
  /// Algorithms; nil: any.
  public var authenticationAlgorithms: [UInt16]?
  /// Schemes; nil: any.
  public var assertionSchemes: [String]?
  /// Types in the order of preference; nil: any.
  public var attestationTypes: [UInt16]?
  /// The earliest version; nil: any.
  public var authenticatorVersion: UInt16?
  /// Whether an extension must be understood that is not known here: then nothing matches.
  public var hasUnknownExtension = false
  /// Extensions as they were given.
  public var extensions: [JSONValue] = []

  /// A criterion that matches everything.
  public init() {}

  /// A criterion for models, and keys of theirs.
  public init(aaids: [String], keyIDs: [String]? = nil) {
    self.aaids = aaids.map { UAFModelStatement.normalizedAAID($0) ?? $0 }
    self.keyIDs = keyIDs
  }

  /// Fields that may stand beside `aaid`.
  private static let besideAAID: Set<String> = ["aaid", "keyIDs", "attachmentHint", "authenticatorVersion", "exts"]
  private static let known: Set<String> = besideAAID.union([
    "vendorID", "userVerification", "keyProtection", "matcherProtection", "tcDisplay", "authenticationAlgorithms",
    "assertionSchemes", "attestationTypes",
  ])
  /// More entries than any list of a criterion may have.
  static let maximumEntries = 1000

  /// Reads a criterion.
  /// - Parameter strict: Without `aaid`, `authenticationAlgorithms` and `assertionSchemes` must be given, as UAF 1.1
  ///   says and its own examples do not.
  ///
  /// Throws `ExpectationError`, which names the member: unknown, empty, of another type, or not allowed beside `aaid`.
  public init(json: JSONValue, path: String = "", strict: Bool = true) throws(ExpectationError) {
    let members = try ExpectationMembers(json, path: path)
    try members.admit(Self.known)
    for member in members.object where member.value.isNull { throw members.error(member.name) }
    aaids = try Self.names(members, "aaid") { UAFModelStatement.normalizedAAID($0) }
    vendorIDs = try Self.names(members, "vendorID") { Self.vendorID($0) }
    keyIDs = try Self.names(members, "keyIDs") { Self.isKeyID($0) ? $0 : nil }
    userVerification = try members.optionalNumber("userVerification")
    keyProtection = try members.optionalNumber("keyProtection")
    matcherProtection = try members.optionalNumber("matcherProtection")
    attachmentHint = try members.optionalNumber("attachmentHint")
    tcDisplay = try members.optionalNumber("tcDisplay")
    authenticationAlgorithms = try Self.numbers(members, "authenticationAlgorithms")
    assertionSchemes = try Self.names(members, "assertionSchemes") { $0 }
    attestationTypes = try Self.numbers(members, "attestationTypes")
    authenticatorVersion = try members.optionalNumber("authenticatorVersion")
    if let value = members.object["exts"] {
      guard let list = value.arrayValue, (1...UAFRelyingParty.maximumExtensions).contains(list.count) else {
        throw members.error("exts")
      }
      for element in list {
        guard let read = UAFRequestedExtension(json: element) else { throw members.error("exts") }
        if read.failIfUnknown, !UAFExtensionID.known.contains(read.id) { hasUnknownExtension = true }
      }
      extensions = list
    }
    if aaids != nil {
      for name in members.object.names where !Self.besideAAID.contains(name) { throw members.error(name) }
    } else if strict {
      guard authenticationAlgorithms != nil else { throw members.error("authenticationAlgorithms") }
      guard assertionSchemes != nil else { throw members.error("assertionSchemes") }
    }
  }

  /// Four hexadecimal digits, in capitals; nil for anything else.
  private static func vendorID(_ text: String) -> String? {
    UAFModelStatement.normalizedAAID(text + "#0000").map { String($0.prefix(4)) }
  }

  /// Base64url of 32 to 2,048 bytes.
  private static func isKeyID(_ text: String) -> Bool {
    text.utf8.count <= 2732 && ((try? Base64URL.decode(text)).map { (32...2048).contains($0.count) } ?? false)
  }

  private static func names(
    _ members: ExpectationMembers, _ name: String, _ normalize: (String) -> String?
  ) throws(ExpectationError) -> [String]? {
    guard members.object[name] != nil else { return nil }
    let texts = try members.texts(name)
    let names = texts.compactMap(normalize)
    guard !names.isEmpty, names.count == texts.count, names.count <= maximumEntries,
      names.allSatisfy({ !$0.isEmpty })
    else { throw members.error(name) }
    return names
  }

  private static func numbers(
    _ members: ExpectationMembers, _ name: String
  ) throws(ExpectationError) -> [UInt16]? {
    guard members.object[name] != nil else { return nil }
    let numbers: [UInt16] = try members.numbers(name)
    guard !numbers.isEmpty, numbers.count <= maximumEntries else { throw members.error(name) }
    return numbers
  }

  /// The criterion without some models; nil: it named no others.
  func leavingOut(_ names: Set<String>) -> UAFAcceptanceCriteria? {
    guard let aaids else { return self }
    var copy = self
    copy.aaids = aaids.filter { !names.contains($0) }
    return copy.aaids?.isEmpty == true ? nil : copy
  }

  /// The criterion for models, whichever keys they have.
  var withoutKeys: UAFAcceptanceCriteria {
    var copy = self
    copy.keyIDs = nil
    return copy
  }

  /// The criterion as a message has it.
  public var json: JSONObject {
    var object: JSONObject = [:]
    func texts(_ name: String, _ values: [String]?) {
      if let values { object[name] = .array(values.map(JSONValue.string)) }
    }
    func number(_ name: String, _ value: (some FixedWidthInteger)?) {
      if let value { object[name] = .integer(Int64(value)) }
    }
    func numbers(_ name: String, _ values: [UInt16]?) {
      if let values { object[name] = .array(values.map { .integer(Int64($0)) }) }
    }
    texts("aaid", aaids)
    texts("vendorID", vendorIDs)
    texts("keyIDs", keyIDs)
    number("userVerification", userVerification)
    number("keyProtection", keyProtection)
    number("matcherProtection", matcherProtection)
    number("attachmentHint", attachmentHint)
    number("tcDisplay", tcDisplay)
    numbers("authenticationAlgorithms", authenticationAlgorithms)
    texts("assertionSchemes", assertionSchemes)
    numbers("attestationTypes", attestationTypes)
    number("authenticatorVersion", authenticatorVersion)
    if !extensions.isEmpty { object["exts"] = .array(extensions) }
    return object
  }
}
