import AuthenticatorCoding
import AuthenticatorCrypto

/// What the metadata service says about one model (FIDO Metadata Service 3.0 section 3.1.1).
public struct MetadataEntry: Sendable {
  /// One thing that happened to a model (FIDO Metadata Service 3.0 section 3.1.4). Open: new words are kept.
  public struct Status: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Not certified.
    public static let notCertified = Status(rawValue: "NOT_FIDO_CERTIFIED")
    /// Certified; words for levels begin with this one.
    public static let certified = Status(rawValue: "FIDO_CERTIFIED")
    /// Verification can be bypassed.
    public static let userVerificationBypass = Status(rawValue: "USER_VERIFICATION_BYPASS")
    /// The attestation key is known to others.
    public static let attestationKeyCompromise = Status(rawValue: "ATTESTATION_KEY_COMPROMISE")
    /// Credentials can be stolen from afar.
    public static let userKeyRemoteCompromise = Status(rawValue: "USER_KEY_REMOTE_COMPROMISE")
    /// Credentials can be stolen by one who holds the device.
    public static let userKeyPhysicalCompromise = Status(rawValue: "USER_KEY_PHYSICAL_COMPROMISE")
    /// Not to be accepted any more.
    public static let revoked = Status(rawValue: "REVOKED")
  }

  /// A status with the day from which it holds.
  public struct StatusReport: Hashable, Sendable {
    /// What happened.
    public let status: Status
    /// The day from which the status holds, as `YYYY-MM-DD`; nil: always.
    public let effectiveDate: String?
  }

  /// The model: 16 bytes; nil for one that is named by the keys of its certificates.
  public let aaguid: [UInt8]?
  /// All reports, as the list orders them.
  public let statusReports: [StatusReport]
  /// The model's name for people; nil when the entry has none.
  public let modelDescription: String?
  /// The certificates that vouch for the model's attestation; those that cannot be read are left out.
  public let attestationRoots: [X509Certificate]
  /// Whether the model's statements may be signed by the credential itself (`basic_surrogate`), which proves no model.
  public let attestsItself: Bool
  /// The entry as received.
  public let json: JSONValue

  init?(aaguid: [UInt8]?, _ json: JSONValue) {
    guard let reports = json["statusReports"]?.arrayValue else { return nil }
    var statusReports: [StatusReport] = []
    for report in reports {
      guard let status = report["status"]?.stringValue else { return nil }
      statusReports.append(
        StatusReport(status: Status(rawValue: status), effectiveDate: report["effectiveDate"]?.stringValue))
    }
    self.aaguid = aaguid
    self.statusReports = statusReports
    let statement = json["metadataStatement"]
    modelDescription = statement?["description"]?.stringValue
    let roots = statement?["attestationRootCertificates"]?.arrayValue ?? []
    attestationRoots = roots.compactMap { root in
      guard let text = root.stringValue, let der = try? Base64.decode(text.filter { !$0.isWhitespace }) else {
        return nil
      }
      return try? X509Certificate(derRepresentation: der)
    }
    let types = statement?["attestationTypes"]?.arrayValue ?? []
    attestsItself = types.contains("basic_surrogate")
    self.json = json
  }
}
