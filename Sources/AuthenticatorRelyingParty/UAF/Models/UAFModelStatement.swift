public import AuthenticatorCoding
public import AuthenticatorCrypto

/// What a relying party knows about one authenticator model: the parts of its metadata statement that decide about
/// policies and assertions (UAF Authenticator Metadata Statements 1.1 section 2).
public struct UAFModelStatement: Hashable, Sendable {
  /// `VVVV#MMMM`, in upper case.
  public let aaid: String
  /// The model's name for people; nil when the statement has none.
  public let modelDescription: String?
  /// The earliest version this statement is about.
  public let authenticatorVersion: UInt16
  /// The protocol versions it speaks.
  public let versions: [UAFProtocolVersion]
  /// `UAFV1TLV`.
  public let assertionScheme: String
  /// How it signs.
  public let signatureForm: UAFSignatureForm
  /// How it writes public keys.
  public let keyForm: UAFKeyForm
  /// 15879 basic full, 15880 basic surrogate, in its own order.
  public let attestationTypes: [UInt16]
  /// The ways to verify, one of which suffices: flags of methods, any of which suffices, or with `verifyAll` all are
  /// needed. Methods that suffice alone stand together, first.
  public let userVerifications: [UInt32]
  /// Flags of where keys live.
  public let keyProtection: UInt16
  /// Flags of where people are compared.
  public let matcherProtection: UInt16
  /// Flags of how it is attached.
  public let attachmentHint: UInt32
  /// Whether it is of use only beside another one.
  public let isSecondFactorOnly: Bool
  /// Flags of its display for transactions; 0: it has none.
  public let tcDisplay: UInt16
  /// Whose attestation is believed; empty: it attests with the new key itself.
  public let attestationRoots: [X509Certificate]

  /// In `userVerifications`: all methods are needed.
  public static let verifyAll: UInt32 = 0x400

  /// What any model is that has a certificate chain.
  public static let basicFull = UAFTag.basicFull
  /// What any model is that has none.
  public static let basicSurrogate = UAFTag.basicSurrogate

  private static let known: Set<String> = [
    "legalHeader", "aaid", "description", "alternativeDescriptions", "authenticatorVersion", "protocolFamily", "upv",
    "assertionScheme", "authenticationAlgorithm", "authenticationAlgorithms", "publicKeyAlgAndEncoding",
    "publicKeyAlgAndEncodings", "attestationTypes", "userVerificationDetails", "keyProtection", "isKeyRestricted",
    "isFreshUserVerificationRequired", "matcherProtection", "cryptoStrength", "operatingEnv", "attachmentHint",
    "isSecondFactorOnly", "tcDisplay", "tcDisplayContentType", "tcDisplayPNGCharacteristics",
    "attestationRootCertificates", "ecdaaTrustAnchors", "icon", "supportedExtensions",
  ]

  /// Reads a statement as JSON.
  ///
  /// Strict, since a member that is misspelled or left out would make the server believe too much: an unknown member, a
  /// missing one, one that contradicts another, or a certificate that cannot be read is an `ExpectationError`.
  public init(json: JSONValue, path: String = "") throws(ExpectationError) {
    let members = try ExpectationMembers(json, path: path)
    try members.admit(Self.known)
    guard let aaid = Self.normalizedAAID(try members.text("aaid")) else { throw members.error("aaid") }
    self.aaid = aaid
    modelDescription = try members.optionalText("description")
    authenticatorVersion = try members.number("authenticatorVersion")
    versions = try Self.versions(members)
    assertionScheme = try members.text("assertionScheme")
    guard assertionScheme == Self.tlvScheme else { throw members.error("assertionScheme") }
    guard try members.optionalText("protocolFamily") ?? "uaf" == "uaf" else { throw members.error("protocolFamily") }
    signatureForm = UAFSignatureForm(rawValue: try members.number("authenticationAlgorithm"))
    keyForm = UAFKeyForm(rawValue: try members.number("publicKeyAlgAndEncoding"))
    guard signatureForm.algorithm != nil else { throw members.error("authenticationAlgorithm") }
    attestationTypes = try members.numbers("attestationTypes")
    guard !attestationTypes.isEmpty, Set(attestationTypes).count == attestationTypes.count,
      attestationTypes.allSatisfy({ [UAFTag.basicFull, UAFTag.basicSurrogate, UAFTag.ecdaa].contains($0) })
    else { throw members.error("attestationTypes") }
    userVerifications = try Self.userVerifications(members)
    keyProtection = try members.number("keyProtection")
    matcherProtection = try members.number("matcherProtection")
    attachmentHint = try members.number("attachmentHint")
    guard let isSecondFactorOnly = try members.optionalBool("isSecondFactorOnly") else {
      throw members.error("isSecondFactorOnly")
    }
    self.isSecondFactorOnly = isSecondFactorOnly
    tcDisplay = try members.number("tcDisplay")
    attestationRoots = try Self.roots(members)
    guard attestationRoots.isEmpty || attestationTypes.contains(Self.basicFull) else {
      throw members.error("attestationRootCertificates")
    }
  }

  static let tlvScheme = "UAFV1TLV"

  /// The member for which no registration could ever be accepted: a full attestation without roots, or none that is
  /// verified here. Nil: there is a way to attest.
  public var memberAgainstAttestation: String? {
    let canAttest = attestationTypes.contains {
      $0 == Self.basicFull && !attestationRoots.isEmpty || $0 == Self.basicSurrogate && attestationRoots.isEmpty
    }
    guard !canAttest else { return nil }
    return attestationTypes.contains(Self.basicFull) ? "attestationRootCertificates" : "attestationTypes"
  }

  private static func versions(_ members: ExpectationMembers) throws(ExpectationError) -> [UAFProtocolVersion] {
    guard let list = members.object["upv"]?.arrayValue, !list.isEmpty else { throw members.error("upv") }
    var versions: [UAFProtocolVersion] = []
    for element in list {
      guard let version = UAFProtocolVersion(json: element) else { throw members.error("upv") }
      versions.append(version)
    }
    return versions
  }

  /// The flags of `userVerificationDetails`, a choice of combinations.
  private static func userVerifications(_ members: ExpectationMembers) throws(ExpectationError) -> [UInt32] {
    let error = members.error("userVerificationDetails")
    guard let alternatives = members.object["userVerificationDetails"]?.arrayValue,
      (1...maximumAlternatives).contains(alternatives.count)
    else { throw error }
    var single: UInt32 = 0
    var combined: [UInt32] = []
    for alternative in alternatives {
      guard let methods = alternative.arrayValue, !methods.isEmpty else { throw error }
      var flags: UInt32 = 0
      for method in methods {
        guard let value = method["userVerification"]?.intValue, let flag = UInt32(exactly: value),
          flag.nonzeroBitCount == 1, flag < verifyAll
        else { throw error }
        flags |= flag
      }
      if flags.nonzeroBitCount == 1 { single |= flags } else { combined.append(flags | verifyAll) }
    }
    return (single == 0 ? [] : [single]) + combined
  }

  /// More combinations of methods than a statement may have.
  private static let maximumAlternatives = 64

  private static func roots(_ members: ExpectationMembers) throws(ExpectationError) -> [X509Certificate] {
    var roots: [X509Certificate] = []
    guard members.object["attestationRootCertificates"]?.isNull == false else {
      throw members.error("attestationRootCertificates")
    }
    for text in try members.texts("attestationRootCertificates") {
      guard let der = try? Base64.decode(text.filter { !$0.isWhitespace }),
        let certificate = try? X509Certificate(derRepresentation: der)
      else { throw members.error("attestationRootCertificates") }
      roots.append(certificate)
    }
    return roots
  }

  // MARK: - Names of models

  /// The name in upper case; nil when it is not four hexadecimal digits, `#`, and four more.
  static func normalizedAAID(_ bytes: some Collection<UInt8>) -> String? {
    guard bytes.count == 9 else { return nil }
    var name: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "#") where index == 4: name.append(byte)
      case 48...57 where index != 4, 65...70 where index != 4: name.append(byte)
      case 97...102 where index != 4: name.append(byte - 32)
      default: return nil
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The name in the form names are compared by, or nil when it is none.
  public static func normalizedAAID(_ text: String) -> String? { normalizedAAID(Array(text.utf8)) }
}

/// The models a relying party knows.
public struct UAFModels: Sendable {
  /// More models than a file may have.
  public static let maximumCount = 1000

  private let statements: [String: UAFModelStatement]
  /// One set of anchors for each model that has roots.
  private let anchors: [String: TrustAnchors]

  /// No model is known.
  public init() { (statements, anchors) = ([:], [:]) }

  /// Takes statements.
  ///
  /// Throws `ExpectationError` for two of one model, or roots that cannot be used.
  public init(_ list: [UAFModelStatement]) throws(ExpectationError) {
    var statements: [String: UAFModelStatement] = [:]
    var anchors: [String: TrustAnchors] = [:]
    guard list.count <= Self.maximumCount else { throw ExpectationError("metadata") }
    for (index, statement) in list.enumerated() {
      guard statements.updateValue(statement, forKey: statement.aaid) == nil else {
        throw ExpectationError("metadata.\(index).aaid")
      }
      guard !statement.attestationRoots.isEmpty else { continue }
      do throws(CryptoError) { anchors[statement.aaid] = try TrustAnchors(statement.attestationRoots) } catch {
        throw ExpectationError("metadata.\(index).attestationRootCertificates")
      }
    }
    self.statements = statements
    self.anchors = anchors
  }

  /// Reads an array of statements.
  /// - Parameter thatAttest: Whether each model must be able to register.
  ///
  /// Throws `ExpectationError`.
  public init(json: JSONValue, thatAttest: Bool = false) throws(ExpectationError) {
    guard let list = json.arrayValue else { throw ExpectationError("metadata") }
    var statements: [UAFModelStatement] = []
    for (index, element) in list.enumerated() {
      let statement = try UAFModelStatement(json: element, path: "metadata.\(index)")
      if thatAttest, let member = statement.memberAgainstAttestation {
        throw ExpectationError("metadata.\(index).\(member)")
      }
      statements.append(statement)
    }
    try self.init(statements)
  }

  /// Whether no model is known.
  public var isEmpty: Bool { statements.isEmpty }

  /// All statements, by their names.
  public var all: [UAFModelStatement] { statements.values.sorted { $0.aaid < $1.aaid } }

  /// Those that do not speak a version, by their names.
  func silent(in version: UAFProtocolVersion) -> [UAFModelStatement] {
    statements.values.filter { !$0.versions.contains(version) }.sorted { $0.aaid < $1.aaid }
  }

  /// The statement of a model; nil: there is none.
  public subscript(aaid: String) -> UAFModelStatement? {
    statements[aaid] ?? UAFModelStatement.normalizedAAID(aaid).flatMap { statements[$0] }
  }

  func anchors(of aaid: String) -> TrustAnchors? { anchors[aaid] }
}
