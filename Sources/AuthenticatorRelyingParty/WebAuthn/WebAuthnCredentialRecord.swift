import AuthenticatorCoding

/// What a relying party keeps about a credential (WebAuthn Level 3 section 4, "credential record").
public struct WebAuthnCredentialRecord: Hashable, Sendable {
  /// The credential's name: 1 to 1,023 bytes.
  public var id: [UInt8]
  /// Verifies its signatures.
  public var publicKey: WebAuthnPublicKey
  /// The highest counter seen.
  public var signCount: UInt32
  /// Fixed at registration.
  public var backupEligible: Bool
  /// As of the last ceremony.
  public var backedUp: Bool
  /// The model: 16 bytes.
  public var aaguid: [UInt8]
  /// The account's handle; nil when it was not told.
  public var userHandle: [UInt8]?
  /// Whether the person was verified at registration.
  public var isUserVerificationInitialized: Bool
  /// How the client said the authenticator can be reached.
  public var transports: [String]
  /// What the registration proved.
  public var attestation: AttestationSummary

  /// A record; by default a fresh one whose registration proved nothing.
  public init(
    id: [UInt8], publicKey: WebAuthnPublicKey, signCount: UInt32 = 0, backupEligible: Bool = false,
    backedUp: Bool = false, aaguid: [UInt8] = [UInt8](repeating: 0, count: 16), userHandle: [UInt8]? = nil,
    isUserVerificationInitialized: Bool = false, transports: [String] = [],
    attestation: AttestationSummary = AttestationSummary(format: "none", type: .none, isTrusted: false)
  ) {
    self.id = id
    self.publicKey = publicKey
    self.signCount = signCount
    self.backupEligible = backupEligible
    self.backedUp = backedUp
    self.aaguid = aaguid
    self.userHandle = userHandle
    self.isUserVerificationInitialized = isUserVerificationInitialized
    self.transports = transports
    self.attestation = attestation
  }
}

/// What a registration's statement proved.
public struct AttestationSummary: Hashable, Sendable {
  /// The kinds of attestation (WebAuthn Level 3 section 6.5.3).
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// No statement.
    case none
    /// Signed with the credential itself.
    case `self`
    /// Signed with a key that many devices of a model share.
    case basic
    /// Signed with a key that an authority certified for the device.
    case attCA
    /// An authority certified the credential itself.
    case anonCA
  }

  /// The statement's format.
  public let format: String
  /// What kind of proof it is.
  public let type: Kind
  /// Whether a path led to a trust anchor.
  public let isTrusted: Bool

  /// See the properties.
  public init(format: String, type: Kind, isTrusted: Bool) {
    self.format = format
    self.type = type
    self.isTrusted = isTrusted
  }
}

// MARK: - JSON

extension WebAuthnCredentialRecord {
  /// The record as JSON: bytes in base64url without padding, the model as a UUID.
  public var json: JSONValue {
    [
      "id": .string(Base64URL.encode(id)), "publicKey": .string(Base64URL.encode(publicKey.coseBytes)),
      "signCount": .integer(Int64(signCount)), "backupEligible": .bool(backupEligible), "backedUp": .bool(backedUp),
      "aaguid": .string(UUIDText.encode(aaguid)),
      "userHandle": userHandle.map { .string(Base64URL.encode($0)) } ?? .null,
      "userVerificationInitialized": .bool(isUserVerificationInitialized),
      "transports": .array(transports.map { .string($0) }),
      "attestation": [
        "format": .string(attestation.format), "type": .string(attestation.type.rawValue),
        "trusted": .bool(attestation.isTrusted),
      ],
    ]
  }

  /// Reads what `json` writes. `id` and `publicKey` must be there; everything else has the value of a fresh record when
  /// it is absent.
  ///
  /// Throws `ExpectationError`, which names the member.
  public init(json: JSONValue) throws(ExpectationError) {
    let members = try ExpectationMembers(json, path: "credential")
    let id = try members.bytes("id")
    guard (1...1023).contains(id.count) else { throw members.error("id") }
    let publicKey: WebAuthnPublicKey
    do throws(WebAuthnVerificationError) {
      publicKey = try WebAuthnPublicKey(coseBytes: try Self.keyBytes(members))
    } catch { throw members.error("publicKey") }
    self.init(id: id, publicKey: publicKey)
    if let count = try members.optionalInteger("signCount") {
      guard let count = UInt32(exactly: count) else { throw members.error("signCount") }
      signCount = count
    }
    backupEligible = try members.optionalBool("backupEligible") ?? false
    backedUp = try members.optionalBool("backedUp") ?? false
    if let text = try members.optionalText("aaguid") {
      guard let bytes = UUIDText.decode(text) else { throw members.error("aaguid") }
      aaguid = bytes
    }
    userHandle = try members.optionalBytes("userHandle")
    isUserVerificationInitialized = try members.optionalBool("userVerificationInitialized") ?? false
    transports = try members.texts("transports")
    if let summary = try members.optionalMembers("attestation") {
      let type = try summary.optionalText("type") ?? "none"
      guard let kind = AttestationSummary.Kind(rawValue: type) else { throw summary.error("type") }
      attestation = AttestationSummary(
        format: try summary.optionalText("format") ?? "none", type: kind,
        isTrusted: try summary.optionalBool("trusted") ?? false)
    }
  }

  private static func keyBytes(_ members: ExpectationMembers) throws(WebAuthnVerificationError) -> [UInt8] {
    do throws(ExpectationError) { return try members.bytes("publicKey") } catch {
      throw WebAuthnVerificationError(.publicKeyInvalid)
    }
  }
}

/// The textual form of 16 bytes, 8-4-4-4-12.
enum UUIDText {
  static func encode(_ bytes: [UInt8]) -> String {
    var text = Hex.encode(bytes)
    for offset in [8, 13, 18, 23] where text.utf8.count > offset {
      text.insert("-", at: text.index(text.startIndex, offsetBy: offset))
    }
    return text
  }

  static func decode(_ text: String) -> [UInt8]? {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    return try? Hex.decode(groups.joined())
  }
}
