import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Glibc

/// `serve`: a journey server for development, tests and small deployments.
struct Serve: Verb {
  static let syntax = Syntax(
    "serve", summary: "run a journey server that speaks PingAM's REST protocol",
    options: [
      Option("--port", .value("N"), "listen on this port; 0 takes a free one (default 8080)"),
      Option("--host", .value("ADDRESS"), "listen on this address (default 127.0.0.1)"),
      Option("--users", .value("FILE"), "the people who may sign in: [{\"username\", \"password\"}]", readsInput: true),
      Option("--journeys", .value("FOLDER"), "offer the journeys exported there instead of the built-in ones"),
      Option("--registry", .value("FILE"), "keep users, devices and sessions there (default: in memory)"),
      Option(
        "--trusted-devices", .value("FILE"), "what the server does about trusted devices, as JSON", readsInput: true),
      Option("--uaf", .value("FILE"), "what the server does about FIDO UAF, as JSON", readsInput: true),
      Option("--application-id", .values("ID"), "accept proofs of this app (default \(defaultID))"),
    ] + RelyingPartyOptions.options + [Option("--list", .flag, "list the journeys and end")],
    notes: [
      """
      The first line on standard output says where it listens. At / there is a page that runs any journey in a browser;
      on this machine open it at http://localhost:PORT/, since browsers keep no passkeys for addresses. It speaks plain
      HTTP: put a proxy with TLS in front of it where others than this machine may connect. A link that resumes a
      parked journey is a line on standard output. SIGTERM and SIGINT end it.
      """,
      """
      Trusted devices sign in at /v1, as the vendor's native SDKs do; `publishableKey` says where. Nobody can sign up
      unless FILE says so: {"version": 1, "signUp": true}. Docs/protocols/trusted-device.md has the other settings.
      """,
      RelyingPartyOptions.note,
      """
      With --uaf, FIDO UAF is spoken at /uaf/request, /uaf/response and /uaf/facets, and in the journeys named after it.
      FILE names the models that are known: {"version": 1, "metadata": [STATEMENT…]}. Docs/protocols/uaf-server.md has
      the other settings.
      """,
      """
      A registry is brought up to the list of --users: who is not there yet is added, another password or activity
      replaces the stored one, nobody is removed.
      """,
    ])

  private static let defaultID = JourneyServerConfiguration.defaultApplicationID

  private let port: UInt16
  private let host: String
  private let usersPath: String?
  private let journeysPath: String?
  private let registryPath: String?
  private let trustedDevicesPath: String?
  private let uafPath: String?
  private let applicationIDs: [String]
  private let relyingParty: RelyingPartyOptions
  private let isList: Bool

  init(_ arguments: Arguments) throws {
    port = UInt16(clamping: try arguments.integer("--port", in: 0...65_535) ?? 8080)
    host = try arguments.text("--host") ?? "127.0.0.1"
    guard Self.isAddress(host) else { throw Failure.usage("--host wants a numeric address, not '\(host)'") }
    usersPath = try arguments.text("--users")
    journeysPath = try arguments.text("--journeys")
    registryPath = try arguments.text("--registry")
    if registryPath?.hasPrefix("postgres:") == true || registryPath?.hasPrefix("postgresql:") == true {
      throw Failure.usage("--registry takes a file; PostgreSQL is planned")
    }
    trustedDevicesPath = try arguments.text("--trusted-devices")
    uafPath = try arguments.text("--uaf")
    let ids = try arguments.texts("--application-id")
    applicationIDs = ids.isEmpty ? [Self.defaultID] : ids
    relyingParty = try RelyingPartyOptions(arguments)
    isList = arguments.has("--list")
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let imported = try imported(console)
    if isList {
      try list(imported, console)
      return .success
    }
    DescriptorLimit.raise(to: 4096)
    let signals = EndingSignals()
    let front = try await signals.unlessArrived {
      let users = try usersPath.map(UserList.init)?.users ?? []
      return try await open(imported?.map(\.tree), users, console)
    }
    if let front {
      await signals.wait()
      console.trace("ending")
      await front.stop()
    } else {
      console.say("authenticator: ended by a signal before anything was served")
    }
    return .success
  }

  /// Makes the server, with its people, and lets it listen.
  private func open(
    _ journeys: [JourneyTree]?, _ users: [UserList.User], _ console: Console
  ) async throws -> HTTPFront {
    let environment = ToolEnvironment.make(appIdentifier: nil, deviceName: nil, console: console)
    var configuration = try JourneyServerConfiguration(
      environment: environment, journeys: journeys, applicationIDs: applicationIDs)
    if let trustedDevicesPath { configuration.trustedDevices = try Self.trustedDevices(trustedDevicesPath) }
    configuration.webAuthn = try relyingParty.configuration(at: environment.now().seconds)
    if let uafPath {
      configuration.uaf = try Self.uaf(uafPath, applicationIDs)
      if let realm = configuration.uaf.realm, !configuration.realms.contains(realm) {
        throw Failure.unusable("inputUnusable", "\(InputFile.name(uafPath)): realm is not served", stage: "uaf")
      }
    }
    configuration.log = { event in
      // Whoever is refused is told nothing but that; the operator learns which check it was.
      if case .proofRefused = event { console.say("server: \(event)") } else { console.trace("server: \(event)") }
    }
    configuration.deliver = { try Self.deliver($0, console) }
    configuration.sessionCookie = .browsers
    configuration.routes = [SignInPage(descriptions: journeysPath == nil ? SignInPage.builtInDescriptions : [:])]
    let registry = try registry()
    let server = try await start(configuration, registry)
    try await UserAdmission(server: server, console: console).admit(users)
    let hasUsers = try await registry.hasUsers()
    let front = try listen(server)
    try announce(front, server, console)
    if !hasUsers, !configuration.trustedDevices.signUp { console.say("nobody can sign in yet: give --users FILE") }
    return front
  }

  private static func trustedDevices(_ path: String) throws -> TrustedDeviceSettings {
    let json = try InputFile.json(path)
    do {
      return try TrustedDeviceSettings(json: json)
    } catch {
      throw Failure.unusable("inputUnusable", "\(InputFile.name(path)): \(error)", stage: "trusted-devices")
    }
  }

  private static func uaf(_ path: String, _ applicationIDs: [String]) throws -> UAFSettings {
    let json = try InputFile.json(path)
    do {
      let settings = try UAFSettings(json: json)
      try settings.check(applicationIDs: applicationIDs)
      return settings
    } catch {
      throw Failure.unusable("inputUnusable", "\(InputFile.name(path)): \(error)", stage: "uaf")
    }
  }

  /// What is wrong with the configuration came from the command line or the files it names.
  private func start(
    _ configuration: JourneyServerConfiguration, _ registry: any JourneyRegistry
  ) async throws -> JourneyServer {
    do {
      return try await JourneyServer(configuration: configuration, registry: registry)
    } catch let error as AuthenticatorError where error.code == .invalidRequest {
      throw Failure.unusable("inputUnusable", error.reason, stage: error.stage)
    }
  }

  /// The journeys of `--journeys`; nil: the built-in ones. Nodes that are not implemented are named now and fail when
  /// they are reached.
  private func imported(_ console: Console) throws -> [TreeImport.ImportedTree]? {
    guard let journeysPath else { return nil }
    do {
      let trees = try TreeImport().read(directory: journeysPath)
      for tree in trees where !tree.missing.isEmpty {
        let missing = tree.missing.map(\.description).joined(separator: ", ")
        console.say("journey \(tree.tree.name) has nodes that are not implemented: \(missing)")
      }
      guard !trees.isEmpty else {
        throw Failure.unusable("inputUnusable", "\(journeysPath) has no journeys", stage: "journeys")
      }
      return trees
    } catch let error as JourneyTreeError {
      throw Failure.unusable("inputUnusable", "\(journeysPath): \(error)", stage: "journeys")
    }
  }

  private func list(_ imported: [TreeImport.ImportedTree]?, _ console: Console) throws {
    let journeys =
      imported?.map { tree -> (name: String, text: String) in
        let missing = tree.missing.map(\.description).joined(separator: ", ")
        return (tree.tree.name, missing.isEmpty ? "imported" : "imported; not implemented: \(missing)")
      } ?? BuiltInJourneys.descriptions
    let width = journeys.map(\.name.count).max() ?? 0
    try console.print(
      .array(journeys.map { ["name": .string($0.name), "description": .string($0.text)] }),
      lines: journeys.map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.text })
  }

  /// There is no mail here: the link of a parked journey is a line on standard output.
  private static func deliver(_ link: ResumeLink, _ console: Console) throws {
    try console.print(
      ["resumeLink": .string(link.url), "username": link.username.map(JSONValue.string) ?? .null],
      lines: ["link for \(link.username ?? "nobody"): \(link.url)"])
  }

  private func listen(_ server: JourneyServer) throws -> HTTPFront {
    do {
      return try HTTPFront(server, host: host, port: port)
    } catch let error as AuthenticatorError {
      throw Failure.unusable(
        error.code.rawValue, "cannot listen on \(host) port \(port): \(error.reason)", stage: "serve")
    }
  }

  private func announce(_ front: HTTPFront, _ server: JourneyServer, _ console: Console) throws {
    let realms = server.configuration.realms.map(\.path)
    let key = PublishableKey.test(url: front.url)
    try console.print(
      [
        "url": .string(front.url), "realms": .array(realms.map(JSONValue.string)),
        "journeys": .array(server.journeyNames.map(JSONValue.string)),
        "applicationIds": .array(applicationIDs.map(JSONValue.string)),
        "publishableKey": key.map(JSONValue.string) ?? .null,
      ],
      lines: [
        "listening at \(front.url)", "sign-in page: \(pageURL(front))", "realms: \(realms.joined(separator: ", "))",
        "journeys: \(server.journeyNames.joined(separator: ", "))",
        "publishable key: \(key ?? "none")",
      ])
  }

  /// The page by a name where there is one: browsers keep no passkeys for addresses.
  private func pageURL(_ front: HTTPFront) -> String {
    ["127.0.0.1", "::1"].contains(host) ? "http://localhost:\(front.port)/" : front.origin + "/"
  }

  private static func isAddress(_ text: String) -> Bool {
    var (short, long) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, text, &short) == 1 || inet_pton(AF_INET6, text, &long) == 1
  }

  private func registry() throws -> any JourneyRegistry {
    guard let registryPath else { return InMemoryRegistry() }
    do {
      return try SQLiteRegistry(path: registryPath)
    } catch let error as RegistryError {
      throw Failure.unusable("storageFailed", "\(registryPath): \(error.description)", stage: "registry")
    }
  }
}
