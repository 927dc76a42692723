import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorWebAuthn

/// What the command line says about a journey: which server, which flow, which answers.
struct LoginOptions: Sendable {
  /// What a flow begins with.
  enum Beginning: Sendable {
    case journey(String)
    case link(String)
  }

  let configuration: JourneyConfiguration
  let beginning: Beginning
  let flags: JourneyOptions
  let answers: Answers
  let sessionFile: String?
  /// PEM certificates to trust instead of the system's.
  let certificateFile: String?
  /// The claims an app adds to a signing proof.
  let claims: JSONObject
  /// Which of several bound users signs.
  let user: String?
  /// Who asks in WebAuthn ceremonies; nil: the server.
  let origin: String?
  /// The relying party IDs that an origin which is no web origin may use.
  let relyingPartyIDs: Set<String>
  /// Which of several WebAuthn credentials signs in.
  let credential: CredentialID?
  /// What vouches for new WebAuthn credentials; nil: they do so themselves.
  let attestation: AttestationFiles?
  /// What answers UAF steps.
  let uaf: UAFLoginOptions
  /// For one request, and for one proof with its prompts.
  let timeout: Duration?

  /// Options that choose the server.
  static let server = [
    Option("--server", .value("URL"), "the server, context path included: https://id.example.com/am"),
    Option("--realm", .value("REALM"), "the realm: /, /alpha, /a/b (default /)"),
    Option("--cookie-name", .value("NAME"), "the session cookie's name (default iPlanetDirectoryPro)"),
    Option("--ca", .value("FILE"), "trust these certificates (PEM) instead of the system's"),
  ]

  /// Options that shape a flow.
  static let flow = flowOptions(journey: "Login")

  /// - Parameter journey: the one that is walked when none is named.
  static func flowOptions(journey: String) -> [Option] {
    [Option("--journey", .value("NAME"), "the journey to walk (default \(journey))")] + otherFlowOptions
  }

  private static let otherFlowOptions =
    [
      Option("--answer", .values("KEY=VALUE"), "answer a callback: KEY is TYPE, TYPE#2 or hidden:ID"),
      Option("--no-session", .flag, "authenticate without creating a session"),
      Option("--force-auth", .flag, "walk the whole journey even with a valid session"),
      Option("--session-file", .value("FILE"), "send the session kept there, and keep the new one"),
      Option("--claim", .values("NAME=JSON"), "add a claim to the signing proof"),
      Option("--user", .value("ID"), "which of several bound users signs"),
      Option("--origin", .value("ORIGIN"), "who asks in WebAuthn ceremonies (default: the server)"),
      Option("--rp-id", .values("ID"), "let an app's origin use this relying party ID; a web origin's are its own"),
      Option("--credential", .value("ID"), "which WebAuthn credential signs in; otherwise the person chooses"),
      DeviceOptions.installation,
      Option(
        "--timeout", .value("SECONDS"),
        "limit for each request, and for each proof with its prompts unless the server's is shorter"),
    ] + AttestationFiles.options + UAFLoginOptions.options

  static let answerNotes = [
    """
    Each answer is used once, in the order given, for the next callback that its KEY names: the callback's type, its
    type and place in a node (PasswordCallback#2), or a hidden value's id (hidden:ID). For choices and confirmations
    the VALUE is the zero-based index or the exact text of the option. A callback without an answer is posted as
    received, except that a name or a password without one is asked for on a terminal and an error elsewhere.
    """
  ]

  init(_ arguments: Arguments, defaultJourney: String = "Login") throws {
    let link = try arguments.text("--resume")
    configuration = try Self.configuration(arguments, realm: try link.flatMap(Self.realm(ofLink:)))
    if let link {
      guard arguments.value("--journey") == nil else {
        throw Failure.usage("--resume goes on with the journey of its link; leave --journey out")
      }
      beginning = .link(link)
    } else {
      beginning = .journey(try arguments.text("--journey") ?? defaultJourney)
    }
    flags = JourneyOptions(forceAuth: arguments.has("--force-auth"), noSession: arguments.has("--no-session"))
    answers = try Answers(arguments.all("--answer"))
    sessionFile = try arguments.text("--session-file")
    certificateFile = try arguments.text("--ca")
    claims = try Self.claims(arguments.all("--claim"))
    user = try arguments.text("--user")
    origin = try arguments.text("--origin")
    relyingPartyIDs = try Device.relyingPartyIDs(arguments, of: origin ?? configuration.webOrigin)
    credential = try arguments.text("--credential").map { try CredentialID(argument: $0, option: "--credential") }
    attestation = try AttestationFiles(arguments)
    uaf = try UAFLoginOptions(arguments)
    timeout = try arguments.integer("--timeout", in: 1...3600).map { .seconds($0) }
  }

  private static func realm(ofLink link: String) throws -> JourneyRealm? {
    do { return try SuspendedJourneyLink(link).realm } catch { throw LoginRun.failure(error) }
  }

  /// The server that the options name.
  /// - Parameter realm: the one to take where the options name none.
  static func configuration(_ arguments: Arguments, realm: JourneyRealm? = nil) throws -> JourneyConfiguration {
    let server = try arguments.required("--server")
    let realm = try arguments.text("--realm") ?? (realm ?? .root).description
    let cookie = try arguments.text("--cookie-name") ?? "iPlanetDirectoryPro"
    try checkAddress(server)
    do {
      var configuration = try JourneyConfiguration(server: server, realm: realm, cookieName: cookie)
      if let seconds = try arguments.integer("--timeout", in: 1...3600) {
        configuration.requestTimeout = min(configuration.requestTimeout, .seconds(seconds))
      }
      return configuration
    } catch let error as AuthenticatorError {
      throw Failure.usage(error.reason)
    }
  }

  /// What is no address at all is named with its option.
  static func checkAddress(_ server: String) throws {
    do { _ = try WebURL(server) } catch let error as AuthenticatorError {
      throw Failure.usage("--server: \(error.reason)")
    }
  }

  private static func claims(_ texts: [String]) throws -> JSONObject {
    var claims = JSONObject()
    for text in texts {
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
        throw Failure.usage("--claim wants NAME=JSON")
      }
      let name = String(text[..<equals])
      guard claims[name] == nil else { throw Failure.usage("--claim \(name) is given twice") }
      do {
        claims[name] = try JSONValue.parse(String(text[text.index(after: equals)...]))
      } catch {
        throw Failure.usage("--claim \(name) is not JSON (at byte \(error.offset)); quote texts: \(name)='\"text\"'")
      }
    }
    return claims
  }
}
