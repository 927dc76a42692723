import AuthenticatorCoding
import AuthenticatorUAF

/// `uaf notify`: tells this device what the server said to a response.
struct UAFNotify: Verb {
  static let syntax = Syntax(
    "uaf", "notify", summary: "tell this device the server's status of a response",
    options: [
      Option("--response", .value("FILE"), "what 'uaf process' printed; - is standard input"),
      Option("--status", .value("CODE"), "the server's status: 1200 accepted, 1202 pending, 1400 and more refused"),
      UAFOptions.facet,
    ] + UAFOptions.options,
    notes: [
      """
      1200 takes a new key into use. A refusal destroys it; 1202, 1408 and 1500 leave it as it is. 1481 deletes the key \
      that signed.
      """
    ])

  private let path: String
  private let status: Int
  private let facet: String?
  private let options: UAFOptions

  init(_ arguments: Arguments) throws {
    path = try arguments.required("--response")
    guard let status = try arguments.integer("--status", in: 1000...1999) else {
      throw Failure.usage("--status is missing")
    }
    self.status = status
    facet = try arguments.text("--facet")
    options = try UAFOptions(arguments)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let response = try UAFOptions.message(path)
    let client = try await options.existingClient(console)
    try await UAFOptions.refusing {
      // The response itself says who called.
      let caller = try self.facet ?? UAFResponse(response.uafProtocolMessage).facetID()
      try await client.notify(status: UAFServerStatus(rawValue: status), of: response, facetID: caller)
    }
    try console.print(["status": .integer(Int64(status))], lines: ["noted"])
    return .success
  }
}
