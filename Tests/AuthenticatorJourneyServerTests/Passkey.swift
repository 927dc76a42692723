import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// A WebAuthn credential with its client, written from the protocol's description and not with the package's client.
struct Passkey {
  static let host = "id.example.org"
  static let origin = "https://id.example.org"

  var key: PrivateKey
  var id: [UInt8]
  /// What the authenticator was told at registration, or claims now; nil: it sends none.
  var userHandle: String?
  /// The counter of the next assertion; 0 stays 0.
  var counter: UInt32 = 0
  /// What is signed in place of the right thing.
  var bend: @Sendable (inout Ceremony) -> Void = { _ in }

  init(id: [UInt8]? = nil) throws {
    key = try PrivateKey.generate(.es256)
    self.id = id ?? SHA256.hash(key.publicKey.x963Representation ?? [])
  }

  /// One ceremony, with everything that can be bent before or after signing.
  struct Ceremony {
    var type: String
    var challenge: [UInt8]
    var origin = Passkey.origin
    var crossOrigin = false
    /// Text in place of the client data; nil: put together from the members above.
    var clientData: String?
    var relyingPartyID = Passkey.host
    /// User present and verified.
    var flags: UInt8 = 0x05
    var counter: UInt32
    /// Bytes behind the authenticator data.
    var rest: [UInt8] = []
    var attestationFormat = "none"
    /// Makes the statement, in CBOR, from what is to be signed; nil: an empty one.
    var statement: (([UInt8]) throws -> [UInt8])?
    /// The COSE key; only at registration.
    var coseKey: [UInt8] = []
    /// The credential id in the authenticator data; only at registration.
    var attestedID: [UInt8] = []
    /// The credential id that stands beside the response.
    var claimedID: [UInt8]
    /// Applied to the signature.
    var finish: ([UInt8]) -> [UInt8] = { $0 }

    var clientDataJSON: String {
      clientData
        ?? #"{"type":"\#(type)","challenge":"\#(Base64URL.encode(challenge))","origin":"\#(origin)","crossOrigin":\#(crossOrigin)}"#
    }

    /// Authenticator data; a registration has the credential in it.
    var authenticatorData: [UInt8] {
      var data = SHA256.hash(Array(relyingPartyID.utf8)) + [flags]
      data += stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: counter >> $0) }
      if flags & 0x40 != 0 {
        data += [UInt8](repeating: 0, count: 16)
        data += [UInt8(attestedID.count >> 8), UInt8(attestedID.count & 0xFF)] + attestedID + coseKey
      }
      return data + rest
    }

    func attestationObject() throws -> [UInt8] {
      let data = authenticatorData
      let statement = try statement?(data + SHA256.hash(Array(clientDataJSON.utf8))) ?? [0xA0]
      return [0xA3] + Self.text("fmt") + Self.text(attestationFormat) + Self.text("attStmt") + statement
        + Self.text("authData") + Self.bytes(data)
    }

    /// A text of less than 24 bytes in CBOR.
    static func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + Array(text.utf8) }

    /// A byte string of at least 24 bytes in CBOR.
    static func bytes(_ bytes: [UInt8]) -> [UInt8] {
      (bytes.count < 256 ? [0x58] : [0x59, UInt8(bytes.count >> 8)]) + [UInt8(bytes.count & 0xFF)] + bytes
    }
  }

  private func challenge(of page: Answer) throws -> [UInt8] {
    let text = try #require(page.webAuthn?["challenge"]?.stringValue)
    return try Base64.decode(text)
  }

  /// What goes into the hidden field to register.
  func registration(for page: Answer, name: String? = nil) throws -> String {
    let point = try #require(key.publicKey.x963Representation)
    var ceremony = Ceremony(
      type: "webauthn.create", challenge: try challenge(of: page), flags: 0x45, counter: counter,
      coseKey: [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20] + point[1..<33] + [0x22, 0x58, 0x20] + point[33...],
      attestedID: id, claimedID: id)
    bend(&ceremony)
    let parts = [
      ceremony.clientDataJSON, Self.numbers(try ceremony.attestationObject()), Base64URL.encode(ceremony.claimedID),
    ]
    return (parts + (name.map { [$0] } ?? [])).joined(separator: "::")
  }

  /// What goes into the hidden field to sign in.
  func assertion(for page: Answer) throws -> String {
    var ceremony = Ceremony(
      type: "webauthn.get", challenge: try challenge(of: page), counter: counter, claimedID: id)
    bend(&ceremony)
    let data = ceremony.authenticatorData
    let signature = try key.sign(data + SHA256.hash(Array(ceremony.clientDataJSON.utf8))).derRepresentation
    let parts = [
      ceremony.clientDataJSON, Self.numbers(data), Self.numbers(ceremony.finish(signature)),
      Base64URL.encode(ceremony.claimedID),
    ]
    return (parts + (userHandle.map { [$0] } ?? [])).joined(separator: "::")
  }

  static func numbers(_ bytes: [UInt8]) -> String { bytes.map { "\(Int8(bitPattern: $0))" }.joined(separator: ",") }
}

extension Answer {
  /// The index of the first callback of a type.
  func index(_ type: String) -> Int? { types.firstIndex(of: type) }

  /// The data of a WebAuthn step.
  var webAuthn: JSONObject? { index("MetadataCallback").flatMap { output($0, "data")?.objectValue } }

  /// The ids a sign-in may use.
  var allowed: [JSONValue] { webAuthn?["_allowCredentials"]?.arrayValue ?? [] }

  /// The step with this text in the hidden field.
  func answered(_ outcome: String) throws -> JSONValue {
    filled([try #require(index("HiddenValueCallback")): ["": .string(outcome)]])
  }
}

extension Harness {
  /// A server at `https://id.example.org/am`.
  static func webAuthn(
    journeys: [JourneyTree]? = nil, registry: any JourneyRegistry = InMemoryRegistry(), clock: ManualClock = .init(),
    users: [String] = ["mira", "noor"], _ adjust: (inout JourneyServerConfiguration) -> Void = { _ in }
  ) async throws -> Harness {
    try await Harness(journeys: journeys, registry: registry, clock: clock, users: users) {
      $0.publicURL = Passkey.origin + "/am"
      $0.recoveryCodeCost = ScryptParameters(logN: 10, r: 8, p: 1)
      adjust(&$0)
    }
  }

  /// Signs in by password and registers the passkey, which learns the user's handle.
  @discardableResult
  func register(
    _ passkey: inout Passkey, user: String = "mira", journey: String = "RegisterWebAuthn", name: String? = nil
  ) async throws -> Answer {
    let page = try await login(user, journey: journey)
    passkey.userHandle = page.webAuthn?["userId"]?.stringValue
    return try await post(try page.answered(try passkey.registration(for: page, name: name)))
  }

  /// The step that asks for a credential of this user; nil: of anybody.
  func question(_ journey: String, user: String?) async throws -> Answer {
    let page = try await start(journey)
    guard let user else { return page }
    return try await post(page.filled([0: ["": .string(user)]]))
  }

  func authenticate(
    _ passkey: Passkey, user: String? = "mira", journey: String = "LoginWebAuthn"
  ) async throws -> Answer {
    let page = try await question(journey, user: user)
    return try await post(try page.answered(try passkey.assertion(for: page)))
  }

  /// Whose session this is.
  func username(_ token: String?) async throws -> String? {
    guard let token else { return nil }
    let info = try await send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token)
    return info.body["username"]?.stringValue
  }

  func webAuthnDevices(of user: String = "mira") async throws -> [DeviceRecord] {
    let user = try #require(try await registry.user(named: user, in: realm))
    return try await registry.devices(ofUser: user.id, family: .webAuthn, realm: realm)
  }

  /// The checks that refused something, in order.
  var refusals: [String] {
    events.all.compactMap { event in
      if case .proofRefused(_, let check) = event { check } else { nil }
    }
  }
}
