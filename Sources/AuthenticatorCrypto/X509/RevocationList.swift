internal import COpenSSL

/// A list of certificates that their issuer has revoked (RFC 5280 section 5), for `TrustAnchors` to heed.
public struct RevocationList: Hashable, Sendable {
  /// The greatest size of a list in bytes: 4 MiB.
  public static let maximumSize = 1 << 22
  private static let label = "X509 CRL"

  /// The list as received.
  public let derRepresentation: [UInt8]

  /// Reads one list in DER with nothing after it. Its signature is checked where it is heeded.
  ///
  /// Throws `CryptoError.Code.invalidRevocationList`.
  public init(derRepresentation bytes: [UInt8]) throws(CryptoError) {
    guard bytes.count <= Self.maximumSize else {
      throw CryptoError(.invalidRevocationList, "the revocation list is too large")
    }
    // OpenSSL's reader sees one sequence of a known size.
    guard let outer = try? ASN1Reader.single(bytes[...], ASN1Element.Tag.sequence), outer.encoded.count == bytes.count
    else { throw CryptoError(.invalidRevocationList, "the revocation list is not in DER") }
    derRepresentation = bytes
    _ = try ParsedRevocationList(self)
  }

  /// Reads all lists of a text, in order; what stands outside their markers is passed over. At most 8 MiB.
  ///
  /// Throws `CryptoError.Code.invalidRevocationList`, also for a text without a list.
  public static func lists(pem text: String) throws(CryptoError) -> [RevocationList] {
    let malformed = CryptoError(.invalidRevocationList, "the text holds no complete revocation list")
    guard text.utf8.count <= 2 * maximumSize else { throw malformed }
    var lists: [RevocationList] = []
    for der in try PEMText.blocks(text, .invalidRevocationList, isWanted: { $0 == label }) {
      lists.append(try RevocationList(derRepresentation: der))
    }
    guard !lists.isEmpty else { throw malformed }
    return lists
  }
}

/// A revocation list as OpenSSL holds it.
final class ParsedRevocationList {
  let pointer: OpaquePointer

  init(_ list: RevocationList) throws(CryptoError) {
    let bytes = list.derRepresentation
    let parsed = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var next = buffer.baseAddress
      guard let pointer = d2i_X509_CRL(nil, &next, buffer.count) else { return nil }
      guard next == buffer.baseAddress.map({ $0 + buffer.count }) else {
        X509_CRL_free(pointer)
        return nil
      }
      return pointer
    }
    guard let parsed else {
      throw .library("OpenSSL cannot read the revocation list", code: .invalidRevocationList)
    }
    pointer = parsed
  }

  deinit { X509_CRL_free(pointer) }
}
