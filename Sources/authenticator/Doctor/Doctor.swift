import AuthenticatorCoding
import AuthenticatorCore

/// `doctor`: looks for what would keep this device from signing in, and says how to put it right.
struct Doctor: Verb {
  static let syntax = Syntax(
    "doctor", summary: "check key store, key protection, verifier, PAM service and server",
    options: DeviceOptions.options + serverOptions,
    notes: [
      """
      Give the options that 'login' would be given. Exit status 3: there is a fault. With --json the limits and
      policies in force are printed too.
      """
    ])

  private static let serverOptions =
    LoginOptions.server + [Option("--timeout", .value("SECONDS"), "limit for asking the server")]

  private let device: DeviceOptions
  private let server: ServerCheck?

  init(_ arguments: Arguments) throws {
    device = try DeviceOptions(arguments)
    try arguments.check(Self.serverOptions, need: "--server")
    server =
      arguments.value("--server") == nil
      ? nil
      : ServerCheck(
        configuration: try LoginOptions.configuration(arguments), certificateFile: try arguments.text("--ca"))
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let environment = ToolEnvironment.make(
      appIdentifier: device.appIdentifier, deviceName: device.deviceName, console: console)
    var findings = [
      await StoreCheck(path: device.storePath, environment: environment).run(),
      await ProtectionCheck(allowsSoftwareKeys: device.allowsSoftwareKeys, environment: environment).run(),
      await VerifierCheck(options: device, environment: environment).run(), await PAMCheck(options: device).run(),
    ]
    findings.append(await server?.run() ?? .skipped("server", "no --server was given"))
    let isHealthy = findings.allSatisfy { $0.status != .fault }
    try console.print(
      [
        "healthy": .bool(isHealthy), "checks": .array(findings.map(\.json)), "limits": Limits.json,
      ], lines: findings.flatMap(\.lines))
    return isHealthy ? .success : .unusable
  }
}
