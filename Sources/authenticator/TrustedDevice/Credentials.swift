import AuthenticatorCore

/// Name and password, from the command line, a file or the terminal.
struct Credentials: Sendable {
  private let name: String?
  private let nameOption: String
  private let password: String?
  private let passwordFile: String?

  static let password = [
    Option("--password", .value("TEXT"), "the password; others on this machine may see it"),
    Option(
      "--password-file", .value("FILE"), "a file with the password on its first line; - is standard input",
      readsInput: true),
  ]

  init(_ arguments: Arguments, name option: String) throws {
    nameOption = option
    name = try arguments.text(option)
    // No server takes an empty one, and some take it for none.
    password = try arguments.text("--password")
    passwordFile = try arguments.text("--password-file")
    guard password == nil || passwordFile == nil else {
      throw Failure.usage("--password and --password-file cannot both be given")
    }
  }

  func readName(_ questions: Questions?) async throws -> String {
    if let name { return name }
    guard let questions else { throw missing(nameOption) }
    return try Self.given(try await questions.ask("Name:"), "name")
  }

  func readPassword(_ questions: Questions?) async throws -> String {
    if let password { return password }
    if let passwordFile {
      let bytes = try InputFile.bytes(passwordFile).prefix { $0 != 0x0A && $0 != 0x0D }
      guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
        throw Failure.unusable("inputUnusable", "\(InputFile.name(passwordFile)) holds no password", stage: "input")
      }
      return text
    }
    guard let questions else { throw missing("--password") }
    return try Self.given(try await questions.askSecret("Password:"), "password")
  }

  private static func given(_ text: String, _ what: String) throws -> String {
    guard !text.isEmpty else { throw Failure.usage("the \(what) is empty") }
    return text
  }

  private func missing(_ option: String) -> Failure {
    .unusable("answerMissing", "\(option) is missing, and there is no terminal to ask on", stage: "login")
  }
}

extension String {
  /// A string from a collection of bytes, when they are UTF-8.
  fileprivate init?(validating bytes: ArraySlice<UInt8>, as encoding: UTF8.Type) {
    self.init(validating: Array(bytes), as: encoding)
  }
}
