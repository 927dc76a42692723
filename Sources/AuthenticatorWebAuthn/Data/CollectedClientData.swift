public import AuthenticatorCoding
internal import AuthenticatorCrypto

/// What the client tells about a ceremony; the authenticator signs its hash (WebAuthn Level 3 section 5.8.1).
public struct CollectedClientData: Hashable, Sendable {
  /// The ceremony a client data object belongs to. Open: other specifications add types of their own.
  public struct Ceremony: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Registration.
    public static let create = Ceremony(rawValue: "webauthn.create")
    /// Authentication.
    public static let get = Ceremony(rawValue: "webauthn.get")
  }

  /// Which ceremony the data is of.
  public let type: Ceremony
  /// The relying party's challenge.
  public let challenge: [UInt8]
  /// The caller's origin: a serialized web origin, or a platform's own form.
  public let origin: String
  /// False when the member is absent.
  public let crossOrigin: Bool
  /// The origin of the outermost page, when the caller is a frame of another origin.
  public let topOrigin: String?
  /// All members besides those above, in order.
  public let additionalMembers: JSONObject
  /// The bytes whose hash is signed: as received, or as serialized.
  public let rawBytes: [UInt8]

  /// SHA-256 of `rawBytes`.
  public var hash: [UInt8] { SHA256.hash(rawBytes) }
}

extension CollectedClientData {
  private static let names: Set<String> = ["type", "challenge", "origin", "crossOrigin", "topOrigin"]
  /// Names that PingAM gives a meaning to when it stands around the client data's text.
  private static let reservedNames: Set<String> = names.union(["tokenBinding", "legacyData", "error"])

  /// Serializes client data (WebAuthn Level 3 section 5.8.1.1), so that a limited verifier can match it by prefix.
  ///
  /// `topOrigin` is written only for a cross-origin ceremony. Throws `clientDataMemberReserved` when an additional
  /// member takes a name that has a meaning of its own.
  public init(
    type: Ceremony, challenge: [UInt8], origin: String, crossOrigin: Bool = false, topOrigin: String? = nil,
    additionalMembers: JSONObject = [:]
  ) throws(WebAuthnDataError) {
    guard additionalMembers.names.allSatisfy({ !Self.reservedNames.contains($0) }) else {
      throw WebAuthnDataError(.clientDataMemberReserved)
    }
    let topOrigin = crossOrigin ? topOrigin : nil
    var bytes = Self.prefix(type: type, challenge: challenge, origin: origin)
    bytes += crossOrigin ? "true".utf8 : "false".utf8
    if let topOrigin { bytes += Self.topOriginMember(topOrigin) }
    if additionalMembers.isEmpty {
      bytes.append(UInt8(ascii: "}"))
    } else {
      bytes.append(UInt8(ascii: ","))
      bytes += additionalMembers.serialized().dropFirst()
    }
    self.type = type
    self.challenge = challenge
    self.origin = origin
    self.crossOrigin = crossOrigin
    self.topOrigin = topOrigin
    self.additionalMembers = additionalMembers
    rawBytes = bytes
  }

  /// Reads client data: a JSON object in UTF-8, after an optional byte order mark, with the members in any order.
  ///
  /// The challenge must be base64url without padding. Unknown members are kept.
  public init(rawBytes: [UInt8]) throws(WebAuthnDataError) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = rawBytes.starts(with: mark) ? rawBytes.dropFirst(mark.count) : rawBytes[...]
    let limits = JSONLimits(bytes: 65_536, depth: 16, textBytes: 65_536, values: 4_096)
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue.parse(text, limits: limits) } catch {
      throw WebAuthnDataError(.clientDataNotJSON)
    }
    guard var object = value.objectValue else { throw WebAuthnDataError(.clientDataNotJSON) }
    type = Ceremony(rawValue: try Self.required(object, "type", "type"))
    let challengeText = try Self.required(object, "challenge", "challenge")
    do throws(TextDecodingError) { challenge = try Base64URL.decode(challengeText) } catch {
      throw WebAuthnDataError(.clientDataChallenge, member: "challenge")
    }
    origin = try Self.required(object, "origin", "origin")
    if let member = object["crossOrigin"] {
      guard let value = member.boolValue else { throw WebAuthnDataError(.clientDataMemberType, member: "crossOrigin") }
      crossOrigin = value
    } else {
      crossOrigin = false
    }
    topOrigin = object["topOrigin"] == nil ? nil : try Self.required(object, "topOrigin", "topOrigin")
    for name in Self.names { object[name] = nil }
    additionalMembers = object
    self.rawBytes = rawBytes
  }

  private static func required(
    _ object: JSONObject, _ name: String, _ label: StaticString
  ) throws(WebAuthnDataError) -> String {
    guard let value = object[name] else { throw WebAuthnDataError(.clientDataMemberMissing, member: label) }
    guard let text = value.stringValue else { throw WebAuthnDataError(.clientDataMemberType, member: label) }
    return text
  }

  // MARK: - Limited verification

  /// The limited verification algorithm (WebAuthn Level 3 section 5.8.1.2): needs no JSON parser.
  ///
  /// - Parameters:
  ///   - topOrigin: The outermost page's origin when a cross-origin ceremony is expected; nil otherwise.
  ///   - requiresTopOrigin: Whether the client must have written that origin. When not, it is compared if it is there.
  ///
  /// Throws `clientDataPrefix` when the bytes do not begin as expected.
  public static func verify(
    _ bytes: [UInt8], type: Ceremony, challenge: [UInt8], origin: String, topOrigin: String? = nil,
    requiresTopOrigin: Bool = false
  ) throws(WebAuthnDataError) {
    var expected = prefix(type: type, challenge: challenge, origin: origin)
    expected += topOrigin == nil ? "false".utf8 : "true".utf8
    if let topOrigin {
      let isThere = bytes.dropFirst(expected.count).starts(with: Array(#","topOrigin":"#.utf8))
      if requiresTopOrigin || isThere { expected += topOriginMember(topOrigin) }
    }
    guard bytes.starts(with: expected), bytes.count > expected.count,
      [UInt8(ascii: "}"), UInt8(ascii: ",")].contains(bytes[expected.count])
    else { throw WebAuthnDataError(.clientDataPrefix) }
  }

  // MARK: - Pieces of the text

  /// Everything up to the value of `crossOrigin`.
  private static func prefix(type: Ceremony, challenge: [UInt8], origin: String) -> [UInt8] {
    var bytes = Array(#"{"type":"#.utf8)
    bytes += quoted(type.rawValue)
    bytes += #","challenge":"#.utf8
    bytes += quoted(Base64URL.encode(challenge))
    bytes += #","origin":"#.utf8
    bytes += quoted(origin)
    bytes += #","crossOrigin":"#.utf8
    return bytes
  }

  private static func topOriginMember(_ topOrigin: String) -> [UInt8] {
    Array(#","topOrigin":"#.utf8) + quoted(topOrigin)
  }

  /// CCDToString: only the quote, the backslash and control characters are escaped, the latter as `\u00xx`.
  private static func quoted(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: bytes += [UInt8(ascii: "\\"), byte]
      case 0x00...0x1F: bytes += "\\u00\(Hex.encode([byte]))".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    return bytes
  }
}
