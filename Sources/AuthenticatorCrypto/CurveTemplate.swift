internal import COpenSSL

/// A public key of a curve to copy the curve's parameters from: looking the curve up by its name again costs several
/// times as much, and a third of what verifying a signature costs.
final class CurveTemplate: Sendable {
  /// A key that nobody holds the private half of; nil when none could be made.
  private let key: KeyHandle?

  private static let p256 = CurveTemplate(.p256)
  private static let p384 = CurveTemplate(.p384)
  private static let p521 = CurveTemplate(.p521)

  static func of(_ curve: EllipticCurve) -> CurveTemplate {
    switch curve {
    case .p256: p256
    case .p384: p384
    case .p521: p521
    }
  }

  private init(_ curve: EllipticCurve) {
    key = (try? PrivateKey.generate(curve.algorithm).publicKey.x963Representation)
      .flatMap { try? KeyHandle(curve: curve, point: $0) }
  }

  /// A new key object with another point of the curve, which OpenSSL checks; nil when it is refused.
  func copy(_ point: [UInt8]) -> OpaquePointer? {
    guard let key, let copy = EVP_PKEY_dup(key.pointer) else {
      ERR_clear_error()
      return nil
    }
    guard EVP_PKEY_set1_encoded_public_key(copy, point, point.count) == 1 else {
      EVP_PKEY_free(copy)
      ERR_clear_error()
      return nil
    }
    return copy
  }
}
