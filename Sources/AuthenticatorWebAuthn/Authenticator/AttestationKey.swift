public import AuthenticatorCrypto

/// A key that vouches for new credentials, with its certificates: `packed` attestation with `x5c`.
///
/// Who holds it can vouch for anything, so it belongs where the app cannot read it;
/// `init(certificates:algorithm:sign:)` takes whatever signs.
public struct AttestationKey: Sendable {
  /// The most bytes of all certificates together: with them, an attestation object still has the 64 KiB that are read.
  public static let maximumCertificateBytes = 60 * 1024

  /// DER certificates, leaf first, without the root.
  public let certificates: [[UInt8]]
  /// What its signatures are made with.
  public let algorithm: SignatureAlgorithm
  private let makeSignature: @Sendable ([UInt8]) async throws -> Signature

  /// Takes certificates and what signs with the leaf's key.
  ///
  /// - Throws: `CryptoError.Code.invalidKey` when there is no certificate, there are more than
  ///   `maximumCertificateBytes`, the leaf cannot be read, or the algorithm is not its key's.
  public init(
    certificates: [[UInt8]], algorithm: SignatureAlgorithm,
    sign: @escaping @Sendable ([UInt8]) async throws -> Signature
  ) throws {
    guard certificates.reduce(0, { $0 + $1.count }) <= Self.maximumCertificateBytes else {
      throw CryptoError(.invalidKey, "the certificates have more than 60 KiB together")
    }
    guard let leaf = certificates.first, COSEAlgorithmIdentifier(algorithm) != nil,
      try X509Certificate(derRepresentation: leaf).publicKey().supports(algorithm)
    else { throw CryptoError(.invalidKey, "the attestation key does not belong to the first certificate") }
    self.certificates = certificates
    self.algorithm = algorithm
    makeSignature = sign
  }

  /// Takes certificates and the leaf's key.
  ///
  /// - Throws: `CryptoError.Code.invalidKey` as above, and when the key is another one.
  public init(certificates: [[UInt8]], key: PrivateKey) throws {
    try self.init(certificates: certificates, algorithm: key.algorithm) { try key.sign($0) }
    guard let leaf = certificates.first, try X509Certificate(derRepresentation: leaf).publicKey() == key.publicKey
    else {
      throw CryptoError(.invalidKey, "the attestation key does not belong to the first certificate")
    }
  }

  func sign(_ message: [UInt8]) async throws -> Signature { try await makeSignature(message) }
}
