internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// What a challenge of the Frontend API is bound to; it travels sealed inside the challenge itself.
struct ChallengeBinding: Hashable, Sendable {
  var clientID: String
  /// Enrolling: the session. Signing in: a digest of the sign-in.
  var context: String
  /// Enrolling: the user.
  var userID: String?
  /// Enrolling: the digests of the fields that must come again unchanged, in the order they are compared.
  var fields: [BoundField] = []

  struct BoundField: Hashable, Sendable {
    var name: String
    var digest: String

    /// An absent field is another than an empty one.
    init(_ name: String, _ value: String?) {
      self.name = name
      digest = value.map { Base64URL.encode(SHA256.hash(Array($0.utf8)).prefix(16)) } ?? ""
    }

    fileprivate init(name: String, digest: String) {
      self.name = name
      self.digest = digest
    }
  }

  fileprivate var json: JSONObject {
    var object: JSONObject = ["c": .string(clientID), "x": .string(context)]
    if let userID { object["u"] = .string(userID) }
    if !fields.isEmpty { object["f"] = .object(JSONObject(fields.map { ($0.name, .string($0.digest)) })) }
    return object
  }

  fileprivate init?(json object: JSONObject) {
    guard let client = object["c"]?.stringValue, let context = object["x"]?.stringValue else { return nil }
    self.init(clientID: client, context: context, userID: object["u"]?.stringValue)
    for member in object["f"]?.objectValue ?? [:] {
      guard let digest = member.value.stringValue else { return nil }
      fields.append(BoundField(name: member.name, digest: digest))
    }
  }

  init(clientID: String, context: String, userID: String? = nil, fields: [BoundField] = []) {
    self.clientID = clientID
    self.context = context
    self.userID = userID
    self.fields = fields
  }
}

/// Makes and understands challenges without keeping them. That one was used is kept, by whoever accepts its signature.
struct SealedChallenges: Sendable {
  let seal: Seal
  let random: @Sendable (Int) throws -> [UInt8]

  /// Why a challenge was not accepted.
  enum Refusal: Error, Hashable, Sendable {
    /// It is no text of a challenge, or says something else than was sent.
    case malformed
    /// This server never made it.
    case unknown
    /// It was made for another purpose.
    case otherPurpose
    case expired
  }

  func make(
    _ purpose: DeviceChallenge.Purpose, binding: ChallengeBinding, appIdentifier: String?, deviceID: String? = nil,
    expiresAt: UnixTime
  ) throws -> DeviceChallenge {
    let id = ResourceID(.challenge, random: try random(ResourceID.byteCount)).text
    var content = binding.json
    content["i"] = .string(id)
    content["p"] = .string(purpose.rawValue)
    content["e"] = .integer(expiresAt.milliseconds)
    if let appIdentifier { content["a"] = .string(appIdentifier) }
    if let deviceID { content["d"] = .string(deviceID) }
    return DeviceChallenge(
      id: id, challenge: try seal.seal(content, for: .challenge), purpose: purpose, appIdentifier: appIdentifier,
      deviceID: deviceID, expiresAt: expiresAt)
  }

  /// Understands the `client_data` that a device returned; what it is bound to is for the caller to compare.
  func read(
    _ clientData: String, for purpose: DeviceChallenge.Purpose, now: UnixTime
  ) throws(Refusal) -> (challenge: DeviceChallenge, binding: ChallengeBinding, use: ChallengeUse) {
    let limits = JSONLimits(bytes: Self.maximumBytes, depth: 2, textBytes: Self.maximumBytes, values: 16)
    guard let data = (try? JSONValue.parse(clientData, limits: limits))?.objectValue,
      let text = data["challenge"]?.stringValue
    else { throw .malformed }
    guard let content = seal.open(text, for: .challenge), let binding = ChallengeBinding(json: content),
      let id = content["i"]?.stringValue, let bytes = ResourceID(.challenge, text: id)?.bytes,
      let made = content["p"]?.stringValue.flatMap(DeviceChallenge.Purpose.init),
      let expiry = content["e"]?.intValue
    else { throw .unknown }
    let challenge = DeviceChallenge(
      id: id, challenge: text, purpose: made, appIdentifier: content["a"]?.stringValue,
      deviceID: content["d"]?.stringValue, expiresAt: UnixTime(milliseconds: Int64(expiry)))
    // Not one byte may differ from what was sent; texts that only look the same are not compared as strings.
    guard challenge.clientData.isIdentical(to: clientData) else { throw .malformed }
    guard made == purpose else { throw .otherPurpose }
    guard now < challenge.expiresAt else { throw .expired }
    return (challenge, binding, ChallengeUse(id: bytes, expiresAt: challenge.expiresAt))
  }

  private static let maximumBytes = 4096
}
