import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE

/// FIDO's list of authenticator models, as the metadata service publishes it (FIDO Metadata Service 3.0 section 3.1.6),
/// given as a file.
public struct MetadataBLOB: Sendable {
  /// The greatest size of a file in bytes: 32 MiB.
  public static let maximumSize = 1 << 25

  /// The list's serial number, which only rises.
  public let number: Int
  /// The day on which the next list is due, as `YYYY-MM-DD`.
  public let nextUpdate: String
  /// Models by their AAGUID.
  private let entries: [[UInt8]: MetadataEntry]
  /// Models without AAGUID by the identifiers of their attestation certificates' keys.
  private let entriesByKey: [[UInt8]: MetadataEntry]

  /// The number of models with an AAGUID, and of identifiers of those without.
  public var count: Int { entries.count + entriesByKey.count }

  /// The entry of a model; nil when there is none.
  public func entry(aaguid: [UInt8]) -> MetadataEntry? { entries[aaguid] }

  /// The entry of a model without AAGUID, such as one of U2F, by the key of its attestation certificate; nil when there
  /// is none.
  public func entry(attestationCertificate: X509Certificate) -> MetadataEntry? {
    guard !entriesByKey.isEmpty, let name = attestationCertificate.subjectKeyDigest() else { return nil }
    return entriesByKey[name]
  }

  /// Reads a list and checks that it may be believed: the path from the signing key's certificate to one of the
  /// anchors, the signature, that the next list is not overdue, and that the list is not older than one seen before.
  /// - Parameters:
  ///   - roots: The certificates that may vouch for the list.
  ///   - time: In seconds since 1970-01-01T00:00:00Z.
  ///   - minimumNumber: The number of the newest list seen so far.
  ///
  /// Throws `MetadataError`.
  public init(
    jws bytes: [UInt8], roots: TrustAnchors, at time: Int64, minimumNumber: Int = 0
  ) throws(MetadataError) {
    guard bytes.count <= Self.maximumSize else { throw .malformed }
    // Files usually end with a line break.
    let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    let token: CompactJWS
    do throws(JOSEError) { token = try CompactJWS.parse(text, limit: Self.maximumSize) } catch { throw .malformed }
    let chain = try Self.chain(token.header)
    do throws(CryptoError) { try roots.verify(chain, at: time) } catch {
      throw error.code == .certificateExpired || error.code == .certificateNotYetValid ? .expired : .untrusted
    }
    guard let key = try? chain[0].publicKey(), key.supports(token.algorithm) else { throw .signatureInvalid }
    do throws(JOSEError) { try token.verify(with: key, algorithm: token.algorithm) } catch { throw .signatureInvalid }

    let limits = JSONLimits(bytes: Self.maximumSize, depth: 32, textBytes: 1 << 20, values: 1 << 21)
    guard let payload = try? JSONValue.parse(token.payload, limits: limits), let number = payload["no"]?.intValue,
      let nextUpdate = payload["nextUpdate"]?.stringValue, let list = payload["entries"]?.arrayValue
    else { throw .malformed }
    guard let due = Self.day(nextUpdate) else { throw .malformed }
    // The list holds through the day on which the next one is due.
    guard time < (due + 1) * 86_400 else { throw .expired }
    guard number >= minimumNumber else { throw .rolledBack }
    self.number = number
    self.nextUpdate = nextUpdate
    var entries: [[UInt8]: MetadataEntry] = [:]
    var entriesByKey: [[UInt8]: MetadataEntry] = [:]
    for item in list {
      if let text = item["aaguid"]?.stringValue {
        guard let aaguid = UUIDText.decode(text), let entry = MetadataEntry(aaguid: aaguid, item) else {
          throw .malformed
        }
        entries[aaguid] = entry
      } else if let names = item["attestationCertificateKeyIdentifiers"]?.arrayValue {
        guard let entry = MetadataEntry(aaguid: nil, item) else { throw .malformed }
        for name in names {
          guard let text = name.stringValue, let bytes = try? Hex.decode(text) else { throw .malformed }
          entriesByKey[bytes] = entry
        }
      }
    }
    self.entries = entries
    self.entriesByKey = entriesByKey
  }

  private static func chain(_ header: JSONObject) throws(MetadataError) -> [X509Certificate] {
    guard let list = header["x5c"]?.arrayValue, (1...TrustAnchors.maximumPathLength).contains(list.count) else {
      throw .malformed
    }
    var chain: [X509Certificate] = []
    for element in list {
      guard let text = element.stringValue, let der = try? Base64.decode(text),
        let certificate = try? X509Certificate(derRepresentation: der)
      else { throw .malformed }
      chain.append(certificate)
    }
    return chain
  }

  /// The days from 1970-01-01 to a date in the form `YYYY-MM-DD`.
  static func day(_ text: String) -> Int64? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int64(parts[0]), let month = Int64(parts[1]), let day = Int64(parts[2])
    else { return nil }
    return X509Time.days(year: year, month: month, day: day)
  }
}

/// Why a list of models was refused.
public enum MetadataError: String, Error, Hashable, Sendable {
  /// Not a JWS with a chain of certificates and a list inside.
  case malformed
  /// No anchor vouches for the signing key.
  case untrusted
  /// The signature is not one of the list.
  case signatureInvalid
  /// The next list is overdue, or a certificate is outside its validity.
  case expired
  /// A newer list was seen before.
  case rolledBack
}
