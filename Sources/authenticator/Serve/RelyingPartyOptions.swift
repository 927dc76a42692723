import AuthenticatorCore
import AuthenticatorJourneyServer

/// What the command line says about `serve` as a WebAuthn relying party.
struct RelyingPartyOptions: Sendable {
  static let options =
    [
      Option("--rp-id", .value("ID"), "be this WebAuthn relying party (default: the server's host, here localhost)"),
      Option("--origin", .values("ORIGIN"), "let this web page or app run ceremonies, beside the server's own page"),
      Option(
        "--trust-anchors", .values("FILE"), "trust attestation that these certificates (PEM) vouch for",
        readsInput: true),
      Option(
        "--trust-store", .values("NAME=FILE"), "the same for nodes whose trustStoreAlias is NAME", readsInput: true),
      Option(
        "--revocation-lists", .values("FILE"), "refuse what these lists (PEM) say their issuers have revoked",
        readsInput: true),
    ] + MetadataFiles.options

  static let note = """
    A relying party ID is a domain name: example.com. An origin is compared as a whole text: https://app.example.com,
    ios:bundle-id:com.example.app. Certificates count where a journey's WebAuthn Registration node asks for attestation,
    FIDO's list for every registration; it is read once, at the start, and must not be overdue then.
    """

  /// The part that needs no file.
  private let named: WebAuthnConfiguration
  private let anchorPaths: [String]
  private let stores: [(name: String, path: String)]
  private let revocationPaths: [String]
  private let metadata: MetadataFiles?

  init(_ arguments: Arguments) throws {
    var named = WebAuthnConfiguration()
    named.relyingPartyID = try arguments.text("--rp-id")
    named.origins = Set(try arguments.texts("--origin"))
    do { try named.check() } catch { throw Failure.usage(error.reason) }
    self.named = named
    anchorPaths = try arguments.texts("--trust-anchors")
    stores = try arguments.texts("--trust-store").map(Self.store)
    let names = stores.map(\.name)
    guard Set(names).count == names.count else { throw Failure.usage("--trust-store has a name twice") }
    revocationPaths = try arguments.texts("--revocation-lists")
    guard revocationPaths.isEmpty || !anchorPaths.isEmpty || !stores.isEmpty else {
      throw Failure.usage("--revocation-lists is for --trust-anchors and --trust-store, which are missing")
    }
    metadata = try MetadataFiles(arguments)
  }

  private static func store(_ text: String) throws -> (name: String, path: String) {
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex, text.index(after: equals) < text.endIndex
    else { throw Failure.usage("--trust-store wants NAME=FILE") }
    return (String(text[..<equals]), String(text[text.index(after: equals)...]))
  }

  /// Reads the files.
  /// - Parameter time: In seconds since 1970-01-01T00:00:00Z; at that time the metadata must not be overdue.
  func configuration(at time: Int64) throws -> WebAuthnConfiguration {
    var configuration = named
    let lists = try CertificateFile.revocationLists(revocationPaths)
    configuration.trustAnchors = try CertificateFile.anchors(anchorPaths, revocationLists: lists)
    for store in stores {
      configuration.trustStores[store.name] = try CertificateFile.anchors([store.path], revocationLists: lists)
    }
    configuration.modelPolicy = try metadata?.load(at: time)
    return configuration
  }
}
