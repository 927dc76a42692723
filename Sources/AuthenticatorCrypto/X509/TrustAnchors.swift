internal import COpenSSL

/// A set of certificates that a caller trusts, ready to check paths against; may be used from several threads at once.
public final class TrustAnchors: @unchecked Sendable {
  // Unchecked because of the C pointer: the store is filled in the initializer only, and reading it is guarded by
  // OpenSSL's own lock.
  private let store: OpaquePointer
  /// The anchors.
  public let certificates: [X509Certificate]
  /// What their issuers have revoked.
  public let revocationLists: [RevocationList]

  /// The most certificates a path may have besides the anchor.
  public static let maximumPathLength = 10

  /// - Parameter revocationLists: Lists of any issuer on a path; what they name is refused.
  ///
  /// Throws `CryptoError.Code.invalidCertificate` when OpenSSL cannot read one of the certificates.
  public init(
    _ certificates: [X509Certificate], revocationLists: [RevocationList] = []
  ) throws(CryptoError) {
    guard let store = X509_STORE_new() else { throw .library("no room for a store", code: .outOfMemory) }
    self.store = store
    self.certificates = certificates
    self.revocationLists = revocationLists
    for certificate in certificates {
      let parsed = try ParsedCertificate(certificate)
      guard X509_STORE_add_cert(store, parsed.pointer) == 1 else { throw .library("the anchor cannot be added") }
    }
    for list in revocationLists {
      let parsed = try ParsedRevocationList(list)
      guard X509_STORE_add_crl(store, parsed.pointer) == 1 else { throw .library("the list cannot be added") }
    }
  }

  deinit { X509_STORE_free(store) }

  /// Whether nothing is trusted.
  public var isEmpty: Bool { certificates.isEmpty }

  /// Checks that a path leads from the first certificate, over the others if need be, to one of the anchors (RFC 5280
  /// section 6): signatures, validity at `time`, the right to sign certificates, no critical extension that is unknown.
  ///
  /// An anchor may be any certificate, the first one included; a self-signed certificate in the path proves nothing.
  /// Signatures with SHA-1 are refused, except on the anchor. A certificate that a revocation list names is refused.
  /// - Parameters:
  ///   - time: In seconds since 1970-01-01T00:00:00Z.
  ///   - requiresRevocationLists: Whether every certificate on the path, but for anchors, must have an issuer with a
  ///     list. Otherwise an issuer without one has revoked nothing. A list that is not of this time leads nowhere
  ///     either way.
  ///
  /// Throws `certificateUntrusted`, `certificateExpired`, `certificateNotYetValid`, `certificateRevoked` or
  /// `revocationUnknown`.
  public func verify(
    _ chain: [X509Certificate], at time: Int64, requiresRevocationLists: Bool = false
  ) throws(CryptoError) {
    guard let leaf = chain.first, chain.count <= Self.maximumPathLength else {
      throw CryptoError(.certificateUntrusted, "the path is empty or too long")
    }
    let parsedLeaf = try ParsedCertificate(leaf)
    var parsed: [ParsedCertificate] = []
    for certificate in chain.dropFirst() { parsed.append(try ParsedCertificate(certificate)) }
    guard let stack = OPENSSL_sk_new_null(), let context = X509_STORE_CTX_new() else {
      throw .library("no room for a path", code: .outOfMemory)
    }
    defer {
      X509_STORE_CTX_free(context)
      OPENSSL_sk_free(stack)
    }
    for certificate in parsed { OPENSSL_sk_push(stack, UnsafeRawPointer(certificate.pointer)) }
    guard X509_STORE_CTX_init(context, store, parsedLeaf.pointer, stack) == 1,
      let parameters = X509_STORE_CTX_get0_param(context)
    else { throw .library("the path cannot be checked") }
    X509_VERIFY_PARAM_set_time(parameters, time_t(time))
    X509_VERIFY_PARAM_set_depth(parameters, CInt(Self.maximumPathLength))
    X509_VERIFY_PARAM_set_auth_level(parameters, 1)
    X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    if requiresRevocationLists || !revocationLists.isEmpty {
      X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
      if requiresRevocationLists {
        X509_STORE_CTX_set_verify_cb(context) { isFine, context in
          // Nobody but its issuer could have revoked an anchor, and it is trusted for itself.
          TrustAnchors.lacksList(isFine, context)
            && X509_STORE_CTX_get_error_depth(context) >= X509_STORE_CTX_get_num_untrusted(context) ? 1 : isFine
        }
      } else {
        X509_STORE_CTX_set_verify_cb(context) { isFine, context in
          TrustAnchors.lacksList(isFine, context) ? 1 : isFine
        }
      }
    }
    let status = withExtendedLifetime((parsedLeaf, parsed)) { X509_verify_cert(context) }
    guard status == 1 else {
      let error = X509_STORE_CTX_get_error(context)
      ERR_clear_error()
      switch error {
      case X509_V_ERR_CERT_HAS_EXPIRED: throw CryptoError(.certificateExpired, "a certificate has expired")
      case X509_V_ERR_CERT_NOT_YET_VALID:
        throw CryptoError(.certificateNotYetValid, "a certificate is not valid yet")
      case X509_V_ERR_CERT_REVOKED: throw CryptoError(.certificateRevoked, "a certificate is revoked")
      case _ where Self.revocationErrors.contains(error):
        throw CryptoError(.revocationUnknown, "a revocation list is missing or does not count")
      default:
        throw CryptoError(
          .certificateUntrusted, "no valid path leads to an anchor", libraryCode: UInt(bitPattern: Int(error)))
      }
    }
  }
}

// MARK: - Revocation

extension TrustAnchors {
  /// Whether all that is wrong with a certificate is that its issuer has no list.
  fileprivate static func lacksList(_ isFine: CInt, _ context: OpaquePointer?) -> Bool {
    isFine == 0 && X509_STORE_CTX_get_error(context) == X509_V_ERR_UNABLE_TO_GET_CRL
  }

  private static let revocationErrors: Set<CInt> = [
    X509_V_ERR_UNABLE_TO_GET_CRL, X509_V_ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE, X509_V_ERR_CRL_SIGNATURE_FAILURE,
    X509_V_ERR_CRL_NOT_YET_VALID, X509_V_ERR_CRL_HAS_EXPIRED, X509_V_ERR_ERROR_IN_CRL_LAST_UPDATE_FIELD,
    X509_V_ERR_ERROR_IN_CRL_NEXT_UPDATE_FIELD, X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER, X509_V_ERR_KEYUSAGE_NO_CRL_SIGN,
    X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION, X509_V_ERR_DIFFERENT_CRL_SCOPE,
    X509_V_ERR_CRL_PATH_VALIDATION_ERROR,
  ]
}

/// A certificate as OpenSSL holds it. The bytes were read strictly before, so OpenSSL's own reader sees bounded DER
/// only.
final class ParsedCertificate {
  let pointer: OpaquePointer

  init(_ certificate: X509Certificate) throws(CryptoError) {
    let bytes = certificate.derRepresentation
    let parsed = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var next = buffer.baseAddress
      guard let pointer = d2i_X509(nil, &next, buffer.count) else { return nil }
      guard next == buffer.baseAddress.map({ $0 + buffer.count }) else {
        X509_free(pointer)
        return nil
      }
      return pointer
    }
    guard let parsed else { throw .library("OpenSSL cannot read the certificate", code: .invalidCertificate) }
    pointer = parsed
  }

  deinit { X509_free(pointer) }
}
