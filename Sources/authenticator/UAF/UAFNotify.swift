import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorUAF

/// `uaf notify`: tells this device what the server said to a response.
struct UAFNotify: Verb {
  static let syntax = Syntax(
    "uaf", "notify", summary: "tell this device the server's status of a response",
    options: [
      Option("--response", .value("FILE"), "what 'uaf process' printed; - is standard input", readsInput: true),
      Option("--status", .value("CODE"), "the server's status: 1200 accepted, 1202 pending, 1400 and more refused"),
      UAFOptions.facet,
    ] + UAFOptions.optionsWithoutPrompts,
    notes: [
      """
      1200 takes a new key into use. A refusal destroys it; 1202, 1408 and 1500 leave it as it is. 1481 deletes the key \
      that signed.
      """,
      "Exit status: 0 noted, 1 no key of the response is here, 2 usage, 3 an unusable file or store.",
    ])

  private let path: String
  private let status: UAFServerStatus
  private let facet: String?
  private let options: UAFOptions

  init(_ arguments: Arguments) throws {
    path = try arguments.required("--response")
    guard let number = try arguments.integer("--status", in: 1000...1999) else {
      throw Failure.usage("--status is missing")
    }
    status = UAFServerStatus(rawValue: number)
    guard UAFServerStatus.defined.contains(status) else {
      throw Failure.usage("--status \(number) is no status of UAF: 1200, 1202, 1400, 1401, 1403, …")
    }
    facet = try arguments.text("--facet").map(UAFOptions.caller)
    options = try UAFOptions(arguments)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let response = try UAFOptions.message(path)
    let client = try await options.existingClient(console)
    guard !response.uafProtocolMessage.isEmpty else {
      try console.print(
        ["status": .integer(Int64(status.rawValue)), "keys": 0], lines: ["nothing to note: the message has no keys"])
      return .success
    }
    let count = try await options.refusing(in: path) {
      // The response itself says who called.
      let caller = try self.facet ?? UAFResponse(response.uafProtocolMessage).facetID()
      return try await client.notify(status: status, of: response, facetID: caller)
    }
    guard count > 0 else {
      throw Failure(
        code: AuthenticatorError.Code.keyNotFound.rawValue, message: "no key of this response and caller is here",
        stage: "uaf.notify", status: .refused)
    }
    try console.print(
      ["status": .integer(Int64(status.rawValue)), "keys": .integer(Int64(count))], lines: ["noted"])
    return .success
  }
}
