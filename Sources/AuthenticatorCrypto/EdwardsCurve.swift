internal import COpenSSL

/// The twisted Edwards curve of Ed25519 (RFC 8032 section 5.1): which 32 bytes name a point of it.
///
/// OpenSSL takes any bytes for a key and finds out when it verifies.
final class EdwardsCurve: @unchecked Sendable {
  // Unchecked because of the C pointers: both numbers are only read after the initializer.
  private let prime: OpaquePointer?
  private let d: OpaquePointer?

  static let ed25519 = EdwardsCurve()

  private init() {
    func number(_ hex: String) -> OpaquePointer? {
      var number: OpaquePointer?
      BN_hex2bn(&number, hex)
      return number
    }
    prime = number("7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFED")
    d = number("52036CEE2B6FFE738CC740797779E89800700A4D4141D8AB75EB4DCA135978A3")
  }

  deinit {
    BN_free(prime)
    BN_free(d)
  }

  /// Whether the bytes are the encoding of a point (section 5.1.3): y below the prime, and a square for x.
  func contains(_ bytes: [UInt8]) throws(CryptoError) -> Bool {
    guard bytes.count == 32, let sign = bytes.last.map({ $0 >> 7 }) else { return false }
    var masked = bytes
    masked[31] &= 0x7F
    guard let context = BN_CTX_new() else { throw .library("no room for numbers", code: .outOfMemory) }
    defer { BN_CTX_free(context) }
    BN_CTX_start(context)
    defer { BN_CTX_end(context) }
    // The last of them is nil when any is.
    guard let y = BN_CTX_get(context), let square = BN_CTX_get(context), let v = BN_CTX_get(context),
      BN_lebin2bn(masked, CInt(masked.count), y) != nil
    else { throw .library("no room for numbers", code: .outOfMemory) }
    guard BN_cmp(y, prime) < 0 else { return false }
    // x² = (y² - 1) / (d y² + 1), whose denominator is never zero; a quotient is a square when the product is.
    guard BN_mod_sqr(square, y, prime, context) == 1, BN_mod_mul(v, d, square, prime, context) == 1,
      BN_add_word(v, 1) == 1, BN_sub(square, square, BN_value_one()) == 1,
      BN_mod_mul(v, v, square, prime, context) == 1
    else { throw .library("the numbers cannot be computed") }
    switch BN_kronecker(v, prime, context) {
    case 1: return true
    // x is zero, which has no sign.
    case 0: return sign == 0
    case -1: return false
    default: throw .library("the numbers cannot be computed")
    }
  }
}
