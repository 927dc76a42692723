internal import COpenSSL

/// A NIST curve with a prime field (FIPS 186-4, D.1.2).
public enum EllipticCurve: String, Hashable, Sendable, CaseIterable {
  /// secp256r1.
  case p256 = "P-256"
  /// secp384r1.
  case p384 = "P-384"
  /// secp521r1.
  case p521 = "P-521"

  /// The width in bytes of one coordinate, of the private scalar and of each half of a signature.
  public var coordinateSize: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// The algorithm that uses this curve in JOSE.
  public var algorithm: SignatureAlgorithm {
    switch self {
    case .p256: .es256
    case .p384: .es384
    case .p521: .es512
    }
  }

  /// The DER bytes of a SubjectPublicKeyInfo before the uncompressed point (RFC 5480): constant for each curve.
  var subjectPublicKeyInfoPrefix: [UInt8] {
    switch self {
    case .p256:
      [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
      ]
    case .p384:
      [
        0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B, 0x81, 0x04,
        0x00, 0x22, 0x03, 0x62, 0x00,
      ]
    case .p521:
      [
        0x30, 0x81, 0x9B, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B, 0x81,
        0x04, 0x00, 0x23, 0x03, 0x81, 0x86, 0x00,
      ]
    }
  }

  /// The length in bytes of an uncompressed point.
  var pointSize: Int { 1 + 2 * coordinateSize }
}

/// The curve's constants as OpenSSL holds them; made once per process, never changed.
final class CurveGroup: @unchecked Sendable {
  // Unchecked because of the C pointer: the group is only read after the initializer.
  let group: OpaquePointer?
  /// The order of the base point, big endian, in the width of a coordinate.
  let order: [UInt8]

  private static let p256 = CurveGroup(NID_X9_62_prime256v1, size: 32)
  private static let p384 = CurveGroup(NID_secp384r1, size: 48)
  private static let p521 = CurveGroup(NID_secp521r1, size: 66)

  static func of(_ curve: EllipticCurve) -> CurveGroup {
    switch curve {
    case .p256: p256
    case .p384: p384
    case .p521: p521
    }
  }

  private init(_ identifier: CInt, size: Int) {
    let group = EC_GROUP_new_by_curve_name(identifier)
    var order = [UInt8](repeating: 0, count: size)
    if let group { BN_bn2binpad(EC_GROUP_get0_order(group), &order, CInt(size)) }
    self.group = group
    self.order = order
  }

  deinit { EC_GROUP_free(group) }

  /// Whether `point`, uncompressed, has both coordinates in the field and lies on the curve.
  func contains(_ point: [UInt8]) throws(CryptoError) -> Bool {
    guard let group, let candidate = EC_POINT_new(group) else {
      throw .library("no room for a point", code: .outOfMemory)
    }
    defer { EC_POINT_free(candidate) }
    guard EC_POINT_oct2point(group, candidate, point, point.count, nil) == 1 else {
      ERR_clear_error()
      return false
    }
    return EC_POINT_is_at_infinity(group, candidate) == 0
  }

  /// Whether the big-endian number is at least one and below the order.
  func isScalar(_ number: some Collection<UInt8>) -> Bool {
    guard number.count == order.count, number.contains(where: { $0 != 0 }) else { return false }
    return number.lexicographicallyPrecedes(order)
  }
}
