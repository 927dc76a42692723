import AuthenticatorCoding
import AuthenticatorUAF

/// `uaf discover`: the UAF authenticators of this device.
struct UAFDiscover: Verb {
  static let syntax = Syntax(
    "uaf", "discover", summary: "tell which UAF authenticators this device has",
    options: [Option("--metadata", .flag, "print metadata statements for a server instead")] + UAFOptions.options,
    notes: UAFOptions.notes)

  private let options: UAFOptions
  private let printsMetadata: Bool

  init(_ arguments: Arguments) throws {
    options = try UAFOptions(arguments)
    printsMetadata = arguments.has("--metadata")
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let client = try await options.existingClient(console)
    for (aaid, error) in await client.unavailableAuthenticators() {
      console.say("authenticator: \(aaid) cannot be used: \(error.reason) (\(error.code))")
    }
    if printsMetadata {
      let statements = await client.metadataStatements()
      try console.print(.array(statements), lines: statements.map { $0.serializedString() })
      return .success
    }
    let found = await client.discover()
    let lines = found.availableAuthenticators.map { one in
      "\(one.aaid)  \(one.title)\(one.isUserEnrolled ? "" : ", nobody enrolled")"
    }
    try console.print(found.json, lines: lines.isEmpty ? ["no authenticators"] : lines)
    return .success
  }
}
