import AuthenticatorCoding
import AuthenticatorCrypto

/// The public area of a TPM key, TPMT_PUBLIC (TPM 2.0 Library part 2, section 12.2.4), as far as signing keys use it.
struct TPMPublicArea {
  let nameAlgorithm: UInt16
  let publicKey: PublicKey

  init(_ bytes: [UInt8]) throws(WebAuthnVerificationError) {
    var reader = ByteReader(bytes)
    do {
      let type = try reader.readUInt16()
      nameAlgorithm = try reader.readUInt16()
      _ = try reader.readUInt32()  // objectAttributes
      _ = try TPMStructure.sized(&reader)  // authPolicy
      switch type {
      case 0x0001: publicKey = try Self.readRSA(&reader)
      case 0x0023: publicKey = try Self.readPoint(&reader)
      default: throw TPMStructure.malformed
      }
      try reader.expectEnd()
    } catch { throw TPMStructure.malformed }
  }

  private static func readRSA(_ reader: inout ByteReader) throws -> PublicKey {
    try skipSymmetric(&reader)
    try skipScheme(&reader)
    _ = try reader.readUInt16()  // keyBits
    let exponent = try reader.readUInt32()
    let modulus = try TPMStructure.sized(&reader)
    // Zero stands for the default exponent.
    let number = exponent == 0 ? 65_537 : exponent
    let octets = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    return try PublicKey(rsaModulus: Array(modulus), exponent: Array(octets.drop { $0 == 0 }))
  }

  private static func readPoint(_ reader: inout ByteReader) throws -> PublicKey {
    try skipSymmetric(&reader)
    try skipScheme(&reader)
    let curve: EllipticCurve =
      switch try reader.readUInt16() {
      case 0x0003: .p256
      case 0x0004: .p384
      case 0x0005: .p521
      default: throw TPMStructure.malformed
      }
    if try reader.readUInt16() != TPMStructure.null { _ = try reader.readUInt16() }  // kdf and its hash
    let (x, y) = (try TPMStructure.sized(&reader), try TPMStructure.sized(&reader))
    return try PublicKey(ec: curve, x: try pad(x, curve), y: try pad(y, curve))
  }

  /// A coordinate in the width of its field: TPMs may leave leading zeros out.
  private static func pad(_ number: ArraySlice<UInt8>, _ curve: EllipticCurve) throws -> [UInt8] {
    guard number.count <= curve.coordinateSize else { throw TPMStructure.malformed }
    return [UInt8](repeating: 0, count: curve.coordinateSize - number.count) + number
  }

  /// TPMT_SYM_DEF_OBJECT: key size and mode follow unless it is null.
  private static func skipSymmetric(_ reader: inout ByteReader) throws {
    if try reader.readUInt16() != TPMStructure.null { _ = try reader.readUInt32() }
  }

  /// TPMT_RSA_SCHEME or TPMT_ECC_SCHEME: a hash follows most, a count besides it follows ECDAA.
  private static func skipScheme(_ reader: inout ByteReader) throws {
    switch try reader.readUInt16() {
    case TPMStructure.null, 0x0015: break
    case 0x0014, 0x0016, 0x0017, 0x0018, 0x0019, 0x001B, 0x001C: _ = try reader.readUInt16()
    case 0x001A: _ = try reader.readUInt32()
    default: throw TPMStructure.malformed
    }
  }
}

/// What a TPM certified, TPMS_ATTEST of the kind TPM_ST_ATTEST_CERTIFY (TPM 2.0 Library part 2, section 10.12.8).
struct TPMCertification {
  let extraData: [UInt8]
  /// The name of the certified key: the name algorithm, and the hash of the public area.
  let name: [UInt8]

  init(_ bytes: [UInt8]) throws(WebAuthnVerificationError) {
    var reader = ByteReader(bytes)
    do {
      guard try reader.readUInt32() == 0xFF54_4347, try reader.readUInt16() == 0x8017 else {
        throw TPMStructure.malformed
      }
      _ = try TPMStructure.sized(&reader)  // qualifiedSigner
      extraData = Array(try TPMStructure.sized(&reader))
      _ = try reader.readSlice(count: 17 + 8)  // clockInfo and firmwareVersion
      name = Array(try TPMStructure.sized(&reader))
      _ = try TPMStructure.sized(&reader)  // qualifiedName
      try reader.expectEnd()
    } catch { throw TPMStructure.malformed }
  }
}

enum TPMStructure {
  static let null: UInt16 = 0x0010
  static let malformed = WebAuthnVerificationError(
    .attestationStatementMalformed, "a structure of the TPM cannot be read")

  /// A buffer after its length in two bytes.
  static func sized(_ reader: inout ByteReader) throws -> ArraySlice<UInt8> {
    try reader.readSlice(count: Int(try reader.readUInt16()))
  }
}
