internal import AuthenticatorCBOR

/// The members of a CTAP2 map, each of the type that is asked for or refused by the status the protocol has for it.
struct CTAP2Parameters {
  private let map: CBORMap

  /// Reads a message's parameters: one canonical map, four levels deep at most, and nothing after it.
  init(message bytes: ArraySlice<UInt8>) throws(CTAP2Status) {
    let value: CBORValue
    do throws(CBORError) { value = try CBORValue.decode(Array(bytes), limits: .message) } catch { throw .invalidCBOR }
    try self.init(value)
  }

  init(_ value: CBORValue) throws(CTAP2Status) {
    guard let map = value.mapValue else { throw .cborUnexpectedType }
    self.map = map
  }

  var keys: [CBORValue] { map.keys }

  func value(_ key: CBORValue) -> CBORValue? { map[key] }

  func bytes(_ key: CBORValue) throws(CTAP2Status) -> [UInt8]? {
    guard let value = map[key] else { return nil }
    guard let bytes = value.bytesValue else { throw .cborUnexpectedType }
    return bytes
  }

  func text(_ key: CBORValue) throws(CTAP2Status) -> String? {
    guard let value = map[key] else { return nil }
    guard let text = value.textValue else { throw .cborUnexpectedType }
    return text
  }

  func integer(_ key: CBORValue) throws(CTAP2Status) -> Int? {
    guard let value = map[key] else { return nil }
    guard let integer = value.intValue else { throw .cborUnexpectedType }
    return integer
  }

  func flag(_ key: CBORValue) throws(CTAP2Status) -> Bool? {
    guard let value = map[key] else { return nil }
    guard let flag = value.boolValue else { throw .cborUnexpectedType }
    return flag
  }

  func members(_ key: CBORValue) throws(CTAP2Status) -> CTAP2Parameters? {
    guard let value = map[key] else { return nil }
    return try CTAP2Parameters(value)
  }

  func list(_ key: CBORValue, limit: Int) throws(CTAP2Status) -> [CBORValue]? {
    guard let value = map[key] else { return nil }
    guard let list = value.arrayValue else { throw .cborUnexpectedType }
    guard list.count <= limit else { throw .limitExceeded }
    return list
  }

  /// A member that must be there.
  func required<Value>(_ value: Value?) throws(CTAP2Status) -> Value {
    guard let value else { throw .missingParameter }
    return value
  }

  /// Credentials by their names; entries of an unknown type are passed over.
  func descriptors(_ key: CBORValue) throws(CTAP2Status) -> [PublicKeyCredentialDescriptor] {
    var descriptors: [PublicKeyCredentialDescriptor] = []
    for value in try list(key, limit: CTAP2Authenticator.maximumListCount) ?? [] {
      let entry = try CTAP2Parameters(value)
      let type = try entry.required(try entry.text("type"))
      let bytes = try entry.required(try entry.bytes("id"))
      guard type == PublicKeyCredentialType.publicKey.rawValue, let id = CredentialID(bytes) else { continue }
      descriptors.append(PublicKeyCredentialDescriptor(id: id))
    }
    return descriptors
  }
}
