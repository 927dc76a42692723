import AuthenticatorCore
import AuthenticatorTestSupport
import Glibc

/// What the command line says about the device: where its keys are, who is in front of it.
struct DeviceOptions: Sendable {
  /// What checks the person.
  enum Source: Sendable {
    /// A description in a file; `-` is standard input.
    case scripted(String)
    /// Passcode and PIN on this terminal.
    case terminal
    /// The machine's own back ends, with the terminal for what is typed.
    case linux
  }

  let storePath: String
  /// Where this installation has its mark; nil: keys live and die with the store.
  let installationFolder: String?
  let source: Source
  /// The only authenticator that binds, when one is named.
  let authenticator: AuthenticatorType?
  let allowsSoftwareKeys: Bool
  let appIdentifier: String
  let deviceName: String?
  let pamService: String
  let pamFolder: String

  /// Where keys are.
  static let store = Option(
    "--store", .value("FILE"), "the key store (default $XDG_DATA_HOME/authenticator/keys.sqlite)")

  /// What tells the keys of an earlier installation.
  static let installation = Option(
    "--installation", .value("FOLDER"),
    "where this installation has its mark (default, without --store, $XDG_STATE_HOME/authenticator/installation)")

  static let options = [
    store,
    Option("--device", .value("DEVICE"), "scripted:FILE, terminal or linux (default terminal)", readsInput: true),
    Option(
      "--authenticator", .value("NAME"), "bind with biometric-only, biometric-or-passcode, passcode or pin alone"),
    Option("--allow-software-keys", .flag, "let biometric and passcode keys be made without hardware"),
    Option("--app-id", .value("ID"), "the app's identity, 'iss' of a proof (default \(defaultAppIdentifier))"),
    Option("--device-name", .value("NAME"), "what the server calls this device (default the host name)"),
    Option("--pam-service", .value("NAME"), "the PAM service that checks the passcode (default login)"),
    Option("--pam-folder", .value("FOLDER"), "where PAM services are (default /etc/pam.d)"),
  ]

  /// Options that say nothing to a verb are unknown to it. Where the device is and who is in front of it may be told to
  /// each of its verbs alike.
  static func options(without names: Set<String>) -> [Option] { options.filter { !names.contains($0.name) } }

  /// What servers are told of app and device in a proof.
  static let told: Set<String> = ["--app-id", "--device-name"]

  /// For verbs that make no key and tell no server of one.
  static let withoutKeyMaking = options(without: told.union(["--authenticator"]))

  /// What says how the person is asked.
  static let prompting: Set<String> = ["--pam-service", "--pam-folder"]

  /// For verbs that ask nobody anything either.
  static let withoutPrompts = withoutKeyMaking.filter { !prompting.contains($0.name) }

  static let defaultAppIdentifier = "org.example.authenticator"

  private static let authenticators: [String: AuthenticatorType] = [
    "biometric-only": .biometricOnly, "biometric-or-passcode": .biometricAllowFallback, "passcode": .devicePasscode,
    "pin": .applicationPIN,
  ]

  init(_ arguments: Arguments) throws {
    storePath = try Self.storePath(arguments)
    installationFolder = try Self.installationFolder(arguments)
    source = try Self.source(try arguments.text("--device") ?? "terminal")
    authenticator = try arguments.text("--authenticator").map { name in
      guard let type = Self.authenticators[name] else {
        throw Failure.usage("--authenticator is one of: \(Self.authenticators.keys.sorted().joined(separator: ", "))")
      }
      return type
    }
    allowsSoftwareKeys = arguments.has("--allow-software-keys")
    appIdentifier =
      try arguments.text("--app-id") ?? arguments.text("--app-identifier") ?? Self.defaultAppIdentifier
    deviceName = try arguments.text("--device-name")
    pamService = try arguments.text("--pam-service") ?? "login"
    pamFolder = try arguments.text("--pam-folder") ?? "/etc/pam.d"
  }

  private static func source(_ text: String) throws -> Source {
    switch text {
    case "terminal": return .terminal
    case "linux": return .linux
    case _ where text.hasPrefix("scripted:") && text != "scripted:":
      return .scripted(String(text.dropFirst("scripted:".count)))
    default: throw Failure.usage("--device is scripted:FILE, terminal or linux")
    }
  }

  /// The file of `--store`, or the one in the user's data folder.
  static func storePath(_ arguments: Arguments) throws -> String {
    if let path = try arguments.text("--store") { return path }
    guard let folder = userFolder("XDG_DATA_HOME", "/.local/share") else {
      throw Failure.unusable("inputUnusable", "there is no home folder to keep keys in; give --store", stage: "store")
    }
    return folder + "/authenticator/keys.sqlite"
  }

  /// The folder of `--installation`, or, for the store in the user's data folder, one in the user's state folder, which
  /// is no part of what is backed up and carried to another machine. A store with a place of its own may be carried.
  private static func installationFolder(_ arguments: Arguments) throws -> String? {
    if let folder = try arguments.text("--installation") { return folder }
    guard arguments.value("--store") == nil else { return nil }
    return userFolder("XDG_STATE_HOME", "/.local/state").map { $0 + "/authenticator/installation" }
  }

  /// One of the folders of the XDG Base Directory Specification; nil: there is no home either.
  private static func userFolder(_ name: String, _ standard: String) -> String? {
    let variable = { (name: String) in getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return variable(name) ?? variable("HOME").map { $0 + standard }
  }
}
