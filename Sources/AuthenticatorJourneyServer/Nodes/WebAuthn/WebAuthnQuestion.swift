internal import AuthenticatorCoding
internal import AuthenticatorCore

/// What a WebAuthn node asks, in either form a client may want it, and how it finds the answer.
enum WebAuthnQuestion {
  /// The hidden field's value until the client answers.
  private static let untouched = "false"

  /// The metadata form.
  static func callbacks(data: JSONObject) -> [ServerCallback] {
    [.metadata(data), .hiddenValue(id: WebAuthnOutcome.fieldID, value: untouched)]
  }

  /// The form for browsers: a script that runs the ceremony, and one that shows that it is waiting.
  static func callbacks(script: String) -> [ServerCallback] {
    [
      .textOutput(script, messageType: 4), .textOutput(WebAuthnScript.waiting, messageType: 4),
      .hiddenValue(id: WebAuthnOutcome.fieldID, value: untouched),
    ]
  }

  /// What the client answered; `malformed` when the field holds no text.
  static func outcome(in answers: [CallbackAnswer]) -> WebAuthnOutcome {
    guard let text = answers.first(where: { $0.type == "HiddenValueCallback" })?.text() else { return .malformed }
    return WebAuthnOutcome(text)
  }

  /// The list of credentials as the older SDKs and browsers read it: JavaScript, without brackets.
  static func scriptList(_ ids: [[UInt8]]) -> String {
    ids.map { "{ \"type\": \"public-key\", \"id\": new Int8Array([\(SignedBytes.encode($0))]).buffer }" }
      .joined(separator: ",")
  }

  /// The list of credentials as newer SDKs read it.
  static func jsonList(_ ids: [[UInt8]]) -> JSONValue {
    .array(ids.map { ["type": "public-key", "id": SignedBytes.json($0)] })
  }

  /// How many bytes of ids a step lists. A client sends the step back, and that must stay within the server's limits
  /// for requests.
  static let maximumListedBytes = 8192

  /// The credentials' ids; of more than can be listed, those that were used last. Throws `RegistryError` (`damaged`).
  static func ids(of devices: [DeviceRecord]) throws -> [[UInt8]] {
    var listed: [(index: Int, id: [UInt8])] = []
    var room = maximumListedBytes
    let recent = devices.enumerated().sorted { $0.element.lastAccessAt > $1.element.lastAccessAt }
    for (index, device) in recent {
      let id: [UInt8]
      do throws(TextDecodingError) { id = try Base64URL.decode(device.externalID) } catch {
        throw RegistryError(.damaged, "a WebAuthn credential's id is malformed")
      }
      room -= max(id.count, 32)
      guard room >= 0 else { break }
      listed.append((index, id))
    }
    return listed.sorted { $0.index < $1.index }.map(\.id)
  }
}

extension NodeContext {
  /// Names in the shared state, as PingAM calls them.
  enum WebAuthnState {
    static let error = "WebAuthenticationDOMException"
    static let extensions = "webAuthnExtensions"
    static let postponedDevice = "webauthnDeviceData"
    static let data = "webauthnData"
    static let attestationType = "webauthnAttestationType"
    static let attestationInfo = "webauthnAttestationInfo"
    static let assertionInfo = "webauthnAssertionInfo"
    static let model = "webauthnDeviceAaguid"
    static let deviceUUID = "webauthnDeviceUuid"
    static let deviceName = "webauthnDeviceName"
  }

  /// The extension inputs that other nodes have put into the shared state. Throws `TreeFault` when they are no object.
  func webAuthnExtensions() throws -> JSONObject {
    guard let value = state.shared[WebAuthnState.extensions], !value.isNull else { return [:] }
    guard let extensions = value.objectValue else {
      throw TreeFault(tree: journey, step: nodeID, "was given extensions that are no object")
    }
    return extensions
  }

  /// Begins a ceremony: a new challenge, remembered by this node until it has read the answer.
  mutating func beginCeremony() throws -> (text: String, bytes: [UInt8]) {
    let bytes = try services.environment.random(32)
    let text = Base64.encode(bytes)
    memory = ["challenge": .string(text)]
    return (text, bytes)
  }

  /// Ends a ceremony: its challenge, which is forgotten whatever the answer is worth. Nil: none had begun.
  mutating func endCeremony() -> [UInt8]? {
    let text = memory["challenge"]?.stringValue
    memory = [:]
    return text.flatMap { try? Base64.decode($0) }
  }

  /// Notes which device took part, for nodes that come later.
  mutating func note(_ device: DeviceRecord) {
    state.shared[WebAuthnState.model] = .string(device.deviceID)
    state.shared[WebAuthnState.deviceUUID] = .string(device.uuid)
    state.shared[WebAuthnState.deviceName] = .string(device.name)
  }

  func logRefusal(_ check: String) { services.log(.proofRefused(journey: journey, check: check)) }
}
