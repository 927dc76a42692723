import Glibc

/// The command-line tool. Its contract (verbs, data, exit statuses) is stable; tests and scripts build on it.
@main
enum AuthenticatorTool {
  static func main() async {
    // A reader that goes away shows as a failed write, not as a signal.
    signal(SIGPIPE, SIG_IGN)
    holdStandardDescriptors()
    let arguments = CommandLine.arguments.dropFirst()
    let isServing = Verbs.find(arguments)?.0 == Serve.self
    // A server ends in its own way.
    await (isServing ? Ending(status: run(arguments)) : Ending.of { await run(arguments) }).exit()
  }

  /// Whoever starts the tool with a standard descriptor closed must not find its output in the key store, which would
  /// get the number: each of them is held by something that can be neither read nor written.
  private static func holdStandardDescriptors() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  static func run(_ arguments: ArraySlice<String>) async -> ExitStatus {
    // Looked at before anything is parsed, so that a usage error has the form that was asked for.
    let console = Console(
      isJSON: arguments.contains("--json"),
      isVerbose: arguments.contains("--verbose") || getenv("AUTHENTICATOR_LOG").map { String(cString: $0) } == "trace")
    do {
      return try await dispatch(arguments, console)
    } catch {
      let failure = Verbs.find(arguments)?.0.ending(by: error) ?? Failure(error)
      console.report(failure)
      return failure.status
    }
  }

  private static func dispatch(_ arguments: ArraySlice<String>, _ console: Console) async throws -> ExitStatus {
    guard let first = arguments.first else {
      console.say(Help.overview(of: Verbs.all))
      return .usage
    }
    switch first {
    case "--help", "-h": return try show(Help.overview(of: Verbs.all))
    case "--version": return try show("authenticator \(Help.version)")
    case "help": return try help(arguments.dropFirst())
    case _ where first.hasPrefix("-"):
      throw Failure.usage("options follow the verb: authenticator VERB \(first); see 'authenticator --help'")
    default: break
    }
    guard let (verb, rest) = Verbs.find(arguments) else {
      let group = Verbs.group([first])
      guard !group.isEmpty else { throw unknownVerb(first) }
      if arguments.contains("--help") || arguments.contains("-h") { return try show(Help.group(group)) }
      let words = group.map { $0.syntax.words.dropFirst().joined(separator: " ") }
      throw Failure.usage("'\(first)' wants one of: \(words.joined(separator: ", "))")
    }
    let parsed = try Arguments(rest, for: verb.syntax)
    if parsed.has("--help") { return try show(Help.verb(verb.syntax)) }
    return try await verb.init(parsed).run(console)
  }

  private static func help(_ words: ArraySlice<String>) throws -> ExitStatus {
    guard let first = words.first else { return try show(Help.overview(of: Verbs.all)) }
    if let (verb, rest) = Verbs.find(words), rest.isEmpty { return try show(Help.verb(verb.syntax)) }
    let group = Verbs.group(words)
    guard !group.isEmpty else { throw unknownVerb(words.count > 1 ? words.joined(separator: " ") : first) }
    return try show(Help.group(group))
  }

  private static func unknownVerb(_ word: String) -> Failure {
    .usage("unknown verb '\(word)'; see 'authenticator --help'")
  }

  private static func show(_ text: String) throws -> ExitStatus {
    try Console.write(text + "\n")
    return .success
  }
}
