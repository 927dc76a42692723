import AuthenticatorCoding

/// Version, mode and algorithms of an assertion (FIDO UAF Authenticator Commands, TAG_ASSERTION_INFO).
public struct AssertionInfo: Hashable, Sendable {
  /// What the person did.
  public enum Mode: UInt8, Sendable {
    /// Was verified.
    case userVerified = 1
    /// Was shown a transaction and approved it by being verified.
    case transactionConfirmed = 2
  }

  /// The authenticator's own version.
  public var authenticatorVersion: UInt16
  /// What the person did.
  public var mode: Mode
  /// The algorithm of the signature beside it; in a registration, that of the attestation.
  public var signatureAlgorithm: UAFAlgorithm
  /// The form of the public key; in registrations only.
  public var publicKeyFormat: UAFPublicKeyFormat?

  var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 7)
    writer.write(authenticatorVersion, order: .littleEndian)
    writer.write(mode.rawValue)
    writer.write(signatureAlgorithm.rawValue, order: .littleEndian)
    if let publicKeyFormat { writer.write(publicKeyFormat.rawValue, order: .littleEndian) }
    return writer.bytes
  }
}

extension AssertionInfo {
  /// Reads the 7 bytes of a registration or the 5 of an authentication.
  init(_ element: TLVElement, isRegistration: Bool) throws(TLVError) {
    var reader = ByteReader(try element.bytes(isRegistration ? 7...7 : 5...5))
    do {
      authenticatorVersion = try reader.readUInt16(order: .littleEndian)
      guard let mode = Mode(rawValue: try reader.readUInt8()) else { throw TLVError.malformed(element.tag) }
      self.mode = mode
      signatureAlgorithm = UAFAlgorithm(rawValue: try reader.readUInt16(order: .littleEndian))
      publicKeyFormat =
        isRegistration ? UAFPublicKeyFormat(rawValue: try reader.readUInt16(order: .littleEndian)) : nil
    } catch {
      throw .malformed(element.tag)
    }
    guard !isRegistration || mode == .userVerified else { throw .malformed(element.tag) }
  }
}

/// An extension inside an assertion.
public struct AssertionExtension: Hashable, Sendable {
  /// Its registered name.
  public var id: String
  /// Its data.
  public var data: [UInt8]
  /// Whether a reader that does not know it must refuse.
  public var isCritical: Bool

  /// Makes an extension.
  public init(id: String, data: [UInt8], isCritical: Bool = false) {
    self.id = id
    self.data = data
    self.isCritical = isCritical
  }

  init(_ element: TLVElement) throws(TLVError) {
    try element.admit([.extensionID, .extensionData])
    let name = try element.only(.extensionID)
    guard let id = String(validating: try name.bytes(1...32), as: UTF8.self) else { throw .malformed(name.tag) }
    self.id = id
    data = try element.only(.extensionData).value
    isCritical = element.tag == .criticalExtension
  }

  func write(to writer: inout TLVWriter) throws(TLVError) {
    try writer.write(isCritical ? .criticalExtension : .nonCriticalExtension) { (inner) throws(TLVError) in
      try inner.write(.extensionID, Array(id.utf8))
      try inner.write(.extensionData, data)
    }
  }
}

extension TLVElement {
  /// The extensions of a composite, in order.
  var assertionExtensions: [AssertionExtension] {
    get throws(TLVError) {
      var extensions: [AssertionExtension] = []
      for element in elements where element.tag == .criticalExtension || element.tag == .nonCriticalExtension {
        extensions.append(try AssertionExtension(element))
      }
      return extensions
    }
  }

  /// The model of a signed object.
  var modelID: AAID {
    get throws(TLVError) {
      let element = try only(.aaid)
      guard let text = String(validating: try element.bytes(9...9), as: UTF8.self), let aaid = AAID(text) else {
        throw .malformed(element.tag)
      }
      return aaid
    }
  }

  /// The key of a signed object.
  var registeredKeyID: UAFKeyID {
    get throws(TLVError) {
      let element = try only(.keyID)
      guard let keyID = UAFKeyID(bytes: element.value) else { throw .malformed(element.tag) }
      return keyID
    }
  }

  /// 32-bit numbers, little-endian.
  func numbers(_ count: Int) throws(TLVError) -> [UInt32] {
    var reader = ByteReader(try bytes(count * 4...count * 4))
    var numbers: [UInt32] = []
    do {
      for _ in 0..<count { numbers.append(try reader.readUInt32(order: .littleEndian)) }
    } catch {
      throw .malformed(tag)
    }
    return numbers
  }
}
