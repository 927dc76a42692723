import AuthenticatorRelyingParty

/// FIDO's list of models in a file, and those of the certificates that vouch for it.
struct MetadataFiles: Sendable {
  static let options = [
    Option(
      "--metadata", .value("FILE"),
      "accept only models of FIDO's signed list (MDS3 BLOB), unbroken and proven by their roots", readsInput: true),
    Option("--metadata-roots", .values("FILE"), "the certificates (PEM) that vouch for that list", readsInput: true),
    Option("--accept-unknown-models", .flag, "accept models that the list does not know, too"),
  ]

  private let path: String
  private let rootPaths: [String]
  private let acceptsUnknownModels: Bool

  /// Nil without `--metadata`.
  init?(_ arguments: Arguments) throws {
    rootPaths = try arguments.texts("--metadata-roots")
    acceptsUnknownModels = arguments.has("--accept-unknown-models")
    guard let path = try arguments.text("--metadata") else {
      guard rootPaths.isEmpty else { throw Failure.usage("--metadata-roots is for --metadata, which is missing") }
      guard !acceptsUnknownModels else {
        throw Failure.usage("--accept-unknown-models is for --metadata, which is missing")
      }
      return nil
    }
    guard !rootPaths.isEmpty else { throw Failure.usage("--metadata wants --metadata-roots, which vouch for it") }
    self.path = path
  }

  /// Reads the files.
  /// - Parameter time: In seconds since 1970-01-01T00:00:00Z; at that time the list must not be overdue.
  func load(at time: Int64) throws -> ModelPolicy? {
    guard let roots = try CertificateFile.anchors(rootPaths) else { return nil }
    let bytes = try InputFile.bytes(path, limit: MetadataBLOB.maximumSize)
    do {
      return ModelPolicy(
        metadata: try MetadataBLOB(jws: bytes, roots: roots, at: time), acceptsUnknownModels: acceptsUnknownModels)
    } catch {
      throw Failure.unusable(
        "inputUnusable", "\(InputFile.name(path)) \(Self.text(error))", stage: "metadata")
    }
  }

  private static func text(_ error: MetadataError) -> String {
    switch error {
    case .malformed: "is no signed list of FIDO's metadata"
    case .untrusted: "is not vouched for by --metadata-roots"
    case .signatureInvalid: "has a signature that is not its own"
    case .expired: "is overdue, or a certificate in it is; fetch the current list"
    case .rolledBack: "is older than a list that was read before"
    }
  }
}
