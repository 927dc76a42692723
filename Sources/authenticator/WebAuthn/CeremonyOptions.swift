import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorWebAuthn

/// What the command line says about a WebAuthn ceremony: the relying party's options, and who asks.
struct CeremonyOptions: Sendable {
  /// The file with the options.
  let path: String
  let caller: WebAuthnCaller
  /// The relying party IDs that an origin which is no web origin may use.
  let relyingPartyIDs: Set<String>
  /// Whose credentials: those made in a journey belong to its server.
  let instance: String
  /// Whether to ask relying parties which other origins may use their IDs.
  let asksRelatedOrigins: Bool
  /// PEM certificates to trust for that instead of the system's.
  let certificateFile: String?

  static let options = [
    Option(
      "--options", .value("FILE"), "the relying party's options, Level 3 JSON; - is standard input", readsInput: true),
    Option("--origin", .value("ORIGIN"), "who asks: https://example.org, or the origin of an app"),
    Option("--top-origin", .value("ORIGIN"), "the outermost page, when the caller is a frame of another origin"),
    Option("--rp-id", .values("ID"), "let an app's origin use this relying party ID; a web origin's are its own"),
    Option("--server", .value("URL"), "use the credentials made in journeys of this server (default: those made here)"),
    Option("--related-origins", .flag, "ask relying parties which other origins may use their IDs"),
    Option("--ca", .value("FILE"), "for that, trust these certificates (PEM) instead of the system's"),
  ]

  static let notes = [
    """
    With the extension prf, 'clientExtensionResults.prf.results' holds secret keys. They are for whoever called, not for
    the relying party: remove them before the response is sent on.
    """,
    """
    Prints the response in its Level 3 JSON form, with or without --json. When it fails, 'error' is the name of the
    DOMException that a web page would see, and 'message' says more than a page may learn.
    """,
    """
    Exit status: 0 done, 1 rejected options, a refusal or a failure, 2 usage, 3 an unreadable file, one that is not
    JSON, or an unusable store.
    """,
  ]

  init(_ arguments: Arguments) throws {
    path = try arguments.required("--options")
    caller = WebAuthnCaller(
      origin: try arguments.required("--origin"), topOrigin: try arguments.text("--top-origin"))
    relyingPartyIDs = try Device.relyingPartyIDs(arguments, of: caller.origin)
    instance =
      try arguments.value("--server") == nil
      ? Device.ownWebAuthnInstance : LoginOptions.configuration(arguments).instance
    asksRelatedOrigins = arguments.has("--related-origins")
    certificateFile = try arguments.text("--ca")
    guard certificateFile == nil || asksRelatedOrigins else {
      throw Failure.usage("--ca is for --related-origins, which is missing")
    }
  }

  /// Reads the options.
  /// - Throws: `WebAuthnError` for options that `body` cannot read.
  func read<Options>(_ body: (JSONValue) throws -> Options) throws -> Options {
    let json = try InputFile.json(path)
    do { return try body(json) } catch let error as WebAuthnJSONError { throw WebAuthnError(error) }
  }
}

extension CredentialID {
  /// Reads a credential ID from the command line.
  init(argument text: String, option: String) throws {
    guard let bytes = try? Base64URL.decode(text, padding: .tolerated), let id = CredentialID(bytes) else {
      throw Failure.usage("\(option) wants a credential ID: base64url of 1 to \(CredentialID.maximumSize) bytes")
    }
    self = id
  }
}
