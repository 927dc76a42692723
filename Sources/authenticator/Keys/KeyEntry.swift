import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorWebAuthn

/// One key as `keys list` shows it.
struct KeyEntry: Sendable {
  let record: KeyRecord
  let health: KeyHealthReport

  var json: JSONObject {
    [
      "tag": .string(record.tag.rawValue), "instance": .string(record.owner.instance),
      "realm": .string(record.owner.party), "user": Self.text(record.owner.account),
      "username": username.map(JSONValue.string) ?? .null, "kid": keyID,
      "protocol": .string(record.owner.family.rawValue), "authenticator": .string(record.authenticator.rawValue),
      "policy": .string(record.access.policyName), "protection": .string(health.protection.name),
      "algorithm": .string(record.algorithm.rawValue), "state": .string(record.state.rawValue),
      "createdAt": .string(RFC3339.text(record.createdAt)),
      "lastUsedAt": record.lastUsedAt.map { .string(RFC3339.text($0)) } ?? .null,
      "health": .string(health.state.rawValue),
    ]
  }

  /// A row that cannot be read: its name is all that is known.
  static func damaged(_ tag: KeyTag) -> JSONObject {
    var json: JSONObject = ["tag": .string(tag.rawValue)]
    for name in [
      "instance", "realm", "user", "username", "kid", "protocol", "authenticator", "policy", "protection", "algorithm",
      "state", "createdAt", "lastUsedAt",
    ] { json[name] = .null }
    json["health"] = .string(KeyHealth.damaged.rawValue)
    return json
  }

  private var username: String? {
    if record.owner.family == .uaf { return record.owner.account.flatMap { String(validating: $0, as: UTF8.self) } }
    return record.owner.family == .webAuthn
      ? (try? PublicKeyCredentialSource(record))?.userName : UserKey(record)?.userName
  }

  /// Credential IDs and UAF KeyIDs are bytes, also where they happen to be text.
  private var keyID: JSONValue {
    guard [.webAuthn, .uaf].contains(record.owner.family), let bytes = record.externalID else {
      return Self.text(record.externalID)
    }
    return .string(Base64URL.encode(bytes))
  }

  /// Names are text on the wire; one that is not is shown as base64url.
  private static func text(_ bytes: [UInt8]?) -> JSONValue {
    guard let bytes else { return .null }
    return .string(String(validating: bytes, as: UTF8.self) ?? Base64URL.encode(bytes))
  }

  /// For people.
  static func lines(_ entries: [JSONObject]) -> [String] {
    guard !entries.isEmpty else { return ["no keys"] }
    return entries.map { entry in
      let text = { (name: String) in entry[name]?.stringValue ?? "-" }
      let place = [text("instance"), text("realm")].filter { !$0.isEmpty }.joined(separator: " ")
      return [
        text("tag"), "\(text("username")) at \(place)",
        "\(text("protocol")), \(text("authenticator")), \(text("policy")), \(text("protection"))",
        ([text("state"), text("health")] + [entry["server"]?.stringValue].compactMap { $0 }).joined(separator: ", "),
      ].joined(separator: "  ")
    }
  }
}

extension KeyAccess {
  /// What opens the key and what a changed enrolled set does to it, as one word.
  var policyName: String {
    switch gate {
    case .open: return "none"
    case .secret: return "applicationPIN"
    case .verified(let methods):
      let biometry = enrollment == .currentSet ? "biometryCurrentSet" : "biometryAny"
      var words = methods.contains(where: \.isBiometric) ? [biometry] : []
      if methods.contains(.passcode) { words.append("devicePasscode") }
      if methods.contains(.presence) { words.append("presence") }
      words += methods.filter { !$0.isBiometric && $0 != .passcode && $0 != .presence }.map(\.rawValue).sorted()
      return words.joined(separator: "|")
    }
  }
}
