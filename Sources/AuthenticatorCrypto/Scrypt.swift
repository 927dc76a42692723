internal import COpenSSL

/// What one derivation costs (RFC 7914 section 2).
public struct ScryptParameters: Hashable, Sendable {
  /// The binary logarithm of the CPU and memory cost N.
  public var logN: Int
  /// The block size.
  public var r: Int
  /// The parallelization.
  public var p: Int

  /// Takes costs as they are; `ScryptBounds` checks them.
  public init(logN: Int, r: Int, p: Int) {
    self.logN = logN
    self.r = r
    self.p = p
  }

  /// N = 2^17, r = 8, p = 1: 128 MiB, some tenths of a second.
  public static let recommended = ScryptParameters(logN: 17, r: 8, p: 1)

  /// The memory one derivation takes, in bytes; nil when the number is beyond all bounds.
  public var memory: Int? {
    guard (1...40).contains(logN), (1...1 << 15).contains(r), (1...1 << 20).contains(p) else { return nil }
    return 128 * r * ((1 << logN) + p + 2)
  }
}

/// Between which costs a derivation may lie. Parameters come from stored files too, which somebody may have changed:
/// too cheap gives the secret away, too dear takes the machine down.
public struct ScryptBounds: Hashable, Sendable {
  /// The least binary logarithm of N.
  public var minimumLogN: Int
  /// The most memory one derivation may take, in bytes.
  public var maximumMemory: Int
  /// The greatest p.
  public var maximumParallelization: Int
  /// The least length of the salt, in bytes.
  public var minimumSaltCount: Int

  /// Makes bounds; each defaults to that of `standard`.
  public init(
    minimumLogN: Int = 15, maximumMemory: Int = 1 << 30, maximumParallelization: Int = 16, minimumSaltCount: Int = 8
  ) {
    self.minimumLogN = minimumLogN
    self.maximumMemory = maximumMemory
    self.maximumParallelization = maximumParallelization
    self.minimumSaltCount = minimumSaltCount
  }

  /// N of at least 2^15 with r of at least 8, at most 1 GiB, p of at most 16, a salt of at
  /// least 8 bytes.
  public static let standard = ScryptBounds()

  /// Throws `CryptoError.Code.invalidParameter` when the parameters lie outside.
  public func check(_ parameters: ScryptParameters) throws(CryptoError) {
    guard let memory = parameters.memory, memory <= maximumMemory, parameters.p <= maximumParallelization else {
      throw CryptoError(.invalidParameter, "the scrypt parameters cost too much")
    }
    // RFC 7914 section 2: N < 2^(128 * r / 8); a smaller r than 8 lowers the cost below what logN promises.
    guard parameters.logN >= minimumLogN, parameters.logN < 16 * parameters.r,
      minimumLogN < ScryptBounds.standard.minimumLogN || parameters.r >= 8
    else {
      throw CryptoError(.invalidParameter, "the scrypt parameters cost too little")
    }
  }
}

/// The password-based key derivation scrypt (RFC 7914).
public enum Scrypt {
  /// Derives `outputCount` bytes, 16 to 1,024, from a password.
  ///
  /// Blocks its thread for as long as the parameters ask; keep it off the cooperative pool. Throws
  /// `CryptoError.Code.invalidParameter` when a parameter, the password (1,024 bytes) or the salt (to 1,024 bytes)
  /// is out of bounds.
  public static func derive(
    password: SecretBytes, salt: [UInt8], parameters: ScryptParameters, outputCount: Int = 32,
    bounds: ScryptBounds = .standard
  ) throws(CryptoError) -> SecretBytes {
    try bounds.check(parameters)
    guard (16...1024).contains(outputCount), password.count <= 1024, salt.count <= 1024,
      salt.count >= bounds.minimumSaltCount
    else {
      throw CryptoError(.invalidParameter, "a length is out of bounds")
    }
    guard let function = EVP_KDF_fetch(nil, "SCRYPT", nil) else { throw .library("scrypt is missing") }
    defer { EVP_KDF_free(function) }
    guard let context = EVP_KDF_CTX_new(function) else { throw .library("no room for scrypt", code: .outOfMemory) }
    defer { EVP_KDF_CTX_free(context) }

    var list = ParameterList()
    password.withUnsafeBytes { list.add("pass", octets: $0) }
    salt.withUnsafeBytes { list.add("salt", octets: $0) }
    list.add("n", integer: UInt64(1) << UInt64(parameters.logN))
    list.add("r", integer: UInt32(parameters.r))
    list.add("p", integer: UInt32(parameters.p))
    list.add("maxmem_bytes", integer: UInt64(bounds.maximumMemory) + 1 << 20)
    return try SecretBytes(count: outputCount) { output throws(CryptoError) in
      let status = list.withParameters {
        EVP_KDF_derive(context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), outputCount, $0)
      }
      guard status == 1 else { throw .library("scrypt failed") }
    }
  }
}
