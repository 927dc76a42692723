internal import COpenSSL
internal import COpenSSLShims

/// An owned key object of OpenSSL.
final class KeyHandle: @unchecked Sendable {
  // Unchecked because of the C pointer: the key is complete before it is wrapped and only read afterwards; OpenSSL
  // guards the caches inside with its own locks.
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }

  /// Builds the key object of a public key.
  convenience init(_ key: PublicKey) throws(CryptoError) {
    switch key.kind {
    case .ec(let curve, _, _):
      try self.init(curve: curve, point: key.x963Representation ?? [])
    case .ed25519(let bytes):
      guard let pointer = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
        throw .library("the key was refused", code: .invalidKey)
      }
      self.init(owning: pointer)
    case .rsa(let modulus, let exponent):
      var list = ParameterList()
      modulus.withUnsafeBytes { list.add("n", bigEndian: $0) }
      exponent.withUnsafeBytes { list.add("e", bigEndian: $0) }
      try self.init(type: "RSA", selection: authkit_selection_public_key(), list)
    }
  }

  /// Builds the key object of a point from the curve's name.
  convenience init(curve: EllipticCurve, point: [UInt8]) throws(CryptoError) {
    var list = ParameterList()
    list.add("group", text: curve.libraryName)
    point.withUnsafeBytes { list.add("pub", octets: $0) }
    try self.init(type: "EC", selection: authkit_selection_public_key(), list)
  }

  /// Builds the key object of a private scalar and its point, which is much cheaper than reading DER.
  convenience init(
    curve: EllipticCurve, scalar: UnsafeRawBufferPointer, point: UnsafeRawBufferPointer
  ) throws(CryptoError) {
    var list = ParameterList()
    list.add("group", text: curve.libraryName)
    list.add("pub", octets: point)
    list.add("priv", bigEndian: scalar)
    try self.init(type: "EC", selection: authkit_selection_key_pair(), list)
  }

  private convenience init(
    type: String, selection: CInt, _ list: borrowing ParameterList
  ) throws(CryptoError) {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
      throw .library("no room for a key", code: .outOfMemory)
    }
    defer { EVP_PKEY_CTX_free(context) }
    var pointer: OpaquePointer?
    guard EVP_PKEY_fromdata_init(context) == 1,
      list.withParameters({ EVP_PKEY_fromdata(context, &pointer, selection, $0) }) == 1, let pointer
    else {
      EVP_PKEY_free(pointer)
      throw .library("the key was refused", code: .invalidKey)
    }
    self.init(owning: pointer)
  }
}

extension EllipticCurve {
  /// OpenSSL's name of the curve.
  var libraryName: StaticString {
    switch self {
    case .p256: "P-256"
    case .p384: "P-384"
    case .p521: "P-521"
    }
  }
}
