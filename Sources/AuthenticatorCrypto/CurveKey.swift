internal import COpenSSL
internal import COpenSSLShims

/// A key of a NIST curve, public or a pair, as OpenSSL's curve code has it below EVP.
///
/// EVP looks the curve up by its name for every key it takes in, at half the price of a signature, and wants contexts;
/// here all keys of a curve copy one group. May be used from several threads at once.
final class CurveKey: @unchecked Sendable {
  // Unchecked because of the C pointer: the key is complete before it is wrapped and only read afterwards.
  private let pointer: OpaquePointer
  private let curve: EllipticCurve

  private init(owning pointer: OpaquePointer, _ curve: EllipticCurve) {
    self.pointer = pointer
    self.curve = curve
  }

  deinit { authkit_ec_key_free(pointer) }

  /// Takes in a point, which OpenSSL checks, and for a pair its scalar. That the two belong together is not checked.
  /// - Throws: `invalidKey`.
  convenience init(
    _ curve: EllipticCurve, point: UnsafeRawBufferPointer, scalar: UnsafeRawBufferPointer? = nil
  ) throws(CryptoError) {
    guard let group = CurveGroup.of(curve).group else { throw .library("the curve is not there") }
    let pointer = authkit_ec_key_new(
      group, point.baseAddress?.assumingMemoryBound(to: UInt8.self), point.count,
      scalar?.baseAddress?.assumingMemoryBound(to: UInt8.self), scalar?.count ?? 0)
    guard let pointer else { throw .library("the key was refused", code: .invalidKey) }
    self.init(owning: pointer, curve)
  }

  /// A new pair.
  static func generate(_ curve: EllipticCurve) throws(CryptoError) -> CurveKey {
    guard let group = CurveGroup.of(curve).group, let pointer = authkit_ec_key_generate(group) else {
      throw .library("no key could be made")
    }
    return CurveKey(owning: pointer, curve)
  }

  /// The uncompressed point.
  func point() throws(CryptoError) -> [UInt8] {
    var point = [UInt8](repeating: 0, count: curve.pointSize)
    guard authkit_ec_key_point(pointer, &point, point.count) == 1 else { throw .library("the key has no point") }
    return point
  }

  /// Writes the scalar, as wide as a coordinate.
  func writeScalar(to output: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    guard output.count == curve.coordinateSize,
      authkit_ec_key_scalar(pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count) == 1
    else { throw .library("the key has no scalar") }
  }

  /// Whether the halves of a pair belong together.
  var isConsistent: Bool {
    guard authkit_ec_key_check(pointer) == 1 else {
      ERR_clear_error()
      return false
    }
    return true
  }

  /// The numbers r and s side by side.
  func sign(digest: [UInt8]) throws(CryptoError) -> [UInt8] {
    let size = curve.coordinateSize
    var isMade = false
    let signature = [UInt8](unsafeUninitializedCapacity: 2 * size) { buffer, count in
      isMade = authkit_ec_sign(pointer, digest, digest.count, buffer.baseAddress, size) == 1
      count = isMade ? 2 * size : 0
    }
    guard isMade else { throw .library("no signature could be made") }
    return signature
  }

  /// Whether r and s, side by side, sign the digest.
  func isValid(_ signature: [UInt8], digest: [UInt8]) -> Bool {
    let size = curve.coordinateSize
    guard signature.count == 2 * size else { return false }
    let verdict = authkit_ec_verify(pointer, digest, digest.count, signature, size)
    if verdict != 1 { ERR_clear_error() }
    return verdict == 1
  }
}
