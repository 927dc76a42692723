import AuthenticatorCore
import AuthenticatorTrustedDevice

/// What every `trusted-device` verb is told: which server, which app, which device.
struct TrustedDeviceOptions: Sendable {
  let configuration: TrustedDeviceConfiguration
  /// The options that lead to the same server, as they were given.
  let address: String
  let certificateFile: String?
  let deviceToken: String?
  let device: DeviceOptions

  static let options =
    [
      Option(
        "--server", .value("URL"), "the Frontend API's address, without /v1; with a key, the proxy in front of it"),
      Option("--publishable-key", .value("KEY"), "the key that names the server"),
      Option("--ca", .value("FILE"), "trust these certificates (PEM) instead of the system's"),
      Option("--device-token", .value("TOKEN"), "go on as the client of this token"),
      Option(
        "--app-identifier", .value("ID"),
        "the app that enrolls and signs in (default \(DeviceOptions.defaultAppIdentifier))"),
      Option("--timeout", .value("SECONDS"), "how long the person has to answer a prompt (default 60)"),
      DeviceOptions.installation,
    ]
    + DeviceOptions.options(without: DeviceOptions.told.union(["--authenticator"]))

  /// Which policies there are.
  static let policy = Option(
    "--policy", .value("POLICY"),
    "biometry_or_device_passcode (default), biometry_any or biometry_current_set")

  static let notes = [
    """
    Token, sessions and keys are in the store, so each verb goes on where the last one ended. Keys without hardware need
    --allow-software-keys.
    """,
    """
    Keys that are found without the mark of --installation are those of an earlier installation: this app's for this
    server are removed, and the device enrolls again. A store that --store names has no mark unless --installation does.
    """,
    """
    Exit status: 0 done, 1 refused or failed (the code is printed), 2 usage, 3 a missing password, an unreachable server,
    or an unusable store or file.
    """,
  ]

  init(_ arguments: Arguments) throws {
    device = try DeviceOptions(arguments)
    certificateFile = try arguments.text("--ca")
    deviceToken = try arguments.text("--device-token")
    var configuration = try Self.configuration(arguments)
    address = ["--server", "--publishable-key"].compactMap { name in arguments.value(name).map { "\(name) \($0)" } }
      .joined(separator: " ")
    configuration.authenticators = TrustedDeviceAuthenticators()
    if let seconds = try arguments.integer("--timeout", in: 1...3600) {
      configuration.promptTimeLimit = .seconds(seconds)
    }
    if let word = try arguments.text("--policy") { configuration.defaultPolicy = try Self.policy(word) }
    if let word = try arguments.text("--platform") {
      configuration.platform = TrustedDevice.Platform(rawValue: word)
    }
    if let word = try arguments.text("--replace-scope") {
      guard let scope = TrustedDeviceConfiguration.ReplaceScope(rawValue: word) else {
        throw Failure.usage("--replace-scope is user or installation")
      }
      configuration.replaceScope = scope
    }
    self.configuration = configuration
  }

  private static func configuration(_ arguments: Arguments) throws -> TrustedDeviceConfiguration {
    let (server, key) = (try arguments.text("--server"), try arguments.text("--publishable-key"))
    if let server { try LoginOptions.checkAddress(server) }
    do {
      if let key { return try TrustedDeviceConfiguration(publishableKey: key, proxyURL: server) }
      guard let server else { throw Failure.usage("--server is missing") }
      return try TrustedDeviceConfiguration(server: server)
    } catch let error as AuthenticatorError {
      throw Failure.usage(error.reason)
    }
  }

  private static func policy(_ word: String) throws -> TrustedDevicePolicy {
    let policy = TrustedDevicePolicy(rawValue: word)
    guard TrustedDevicePolicy.known.contains(policy) else {
      throw Failure.usage("--policy is one of: \(TrustedDevicePolicy.known.map(\.rawValue).joined(separator: ", "))")
    }
    return policy
  }
}
