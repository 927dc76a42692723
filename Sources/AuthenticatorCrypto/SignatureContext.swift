internal import COpenSSL
internal import Synchronization

/// A prepared signing or verifying operation of an RSA key; setting one up costs a good part of a signature, using one
/// again nothing.
final class SignatureContext: @unchecked Sendable {
  // Unchecked because of the C pointer: whoever takes the context from its pool is its only user until it is put back.
  let pointer: OpaquePointer

  enum Operation: Sendable { case sign, verify }

  init(_ key: KeyHandle, _ algorithm: SignatureAlgorithm, _ operation: Operation) throws(CryptoError) {
    guard let pointer = EVP_PKEY_CTX_new(key.pointer, nil) else {
      throw .library("no room for an operation", code: .outOfMemory)
    }
    self.pointer = pointer
    guard (operation == .sign ? EVP_PKEY_sign_init(pointer) : EVP_PKEY_verify_init(pointer)) == 1 else {
      throw .library("the key cannot be used", code: .unsupportedAlgorithm)
    }
    guard algorithm.isRSA else { return }
    let padding = algorithm == .ps256 ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
    guard EVP_PKEY_CTX_set_rsa_padding(pointer, padding) == 1,
      EVP_PKEY_CTX_set_signature_md(pointer, EVP_sha256()) == 1,
      algorithm == .rs256 || EVP_PKEY_CTX_set_rsa_pss_saltlen(pointer, RSA_PSS_SALTLEN_DIGEST) == 1
    else { throw .library("the padding was refused") }
  }

  deinit { EVP_PKEY_CTX_free(pointer) }
}

/// The idle contexts of one key; as many are made as threads use the key at once, and a few are kept.
final class SignatureContextPool: Sendable {
  private let key: KeyHandle
  private let algorithm: SignatureAlgorithm
  private let operation: SignatureContext.Operation
  private let idle = Mutex<[SignatureContext]>([])
  private static let idleLimit = 8

  init(_ key: KeyHandle, _ algorithm: SignatureAlgorithm, _ operation: SignatureContext.Operation) {
    self.key = key
    self.algorithm = algorithm
    self.operation = operation
  }

  /// Lends a context. One whose use throws is dropped, as its state is unknown.
  func withContext<Result>(_ body: (OpaquePointer) throws(CryptoError) -> Result) throws(CryptoError) -> Result {
    let context =
      if let context = idle.withLock({ $0.popLast() }) { context } else {
        try SignatureContext(key, algorithm, operation)
      }
    let result = try body(context.pointer)
    idle.withLock { if $0.count < Self.idleLimit { $0.append(context) } }
    return result
  }
}

extension SignatureAlgorithm {
  /// The digest that ECDSA and RSA sign; nil for EdDSA, which takes the message itself.
  func digest(of message: [UInt8]) -> [UInt8]? {
    switch self {
    case .es256, .rs256, .ps256: SHA256.hash(message)
    case .es384: SHA384.hash(message)
    case .es512: SHA512.hash(message)
    default: nil
    }
  }
}
