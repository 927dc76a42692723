import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorUAF

/// `uaf process`: answers a UAF message.
struct UAFProcess: Verb {
  static let syntax = Syntax(
    "uaf", "process", summary: "answer a UAF message: register, sign in, confirm, or forget keys",
    options: [
      Option(
        "--message", .value("FILE"), "the server's message, wrapped or not; - is standard input", readsInput: true),
      UAFOptions.facet,
      Option("--fallback-title", .value("TEXT"), "a button in the biometric prompt that ends it as FALLBACK"),
      Option("--channel-binding", .value("FILE"), "what is known of the TLS connection, JSON", readsInput: true),
      UAFOptions.certificates,
    ] + UAFOptions.options,
    notes: [
      """
      Prints {"uafProtocolMessage": TEXT}; the text is empty after a deregistration. A failure has 'uafErrorCode', the \
      number of the UAF application API, and 'result', one word: FALLBACK, CANCELED, FAILED, LOCKED, NO_MATCH, …
      """,
      "A new key is confirmed by 'uaf notify', or by the server naming it in a later message.",
    ] + UAFOptions.notes)

  private let path: String
  private let facet: String
  private let fallbackTitle: String?
  private let bindingPath: String?
  private let options: UAFOptions

  init(_ arguments: Arguments) throws {
    path = try arguments.required("--message")
    facet = try UAFOptions.caller(arguments.required("--facet"))
    fallbackTitle = try arguments.text("--fallback-title")
    bindingPath = try arguments.text("--channel-binding")
    options = try UAFOptions(arguments)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let message = try UAFOptions.message(path)
    let binding = try bindingPath.map { path -> ChannelBinding in
      do { return try ChannelBinding(json: try InputFile.json(path)) } catch let error as AuthenticatorError {
        throw Failure.unusable("inputUnusable", "\(InputFile.name(path)): \(error.reason)", stage: "channelBinding")
      }
    }
    let extras = UAFExtras(fallbackTitle.map { [UAFExtras.Extension.fallback(title: $0)] } ?? [])
    let device = try Device(options.device, console: console)
    let client = try await options.refusing(answering: message, in: path) {
      let client = try options.client(device, over: try await device.store.opened())
      try await client.recover()
      return client
    }
    let answer = try await options.refusing(answering: message, in: path) {
      try await client.process(
        message, facetID: facet, channelBinding: binding ?? ChannelBinding(), extras: extras)
    }
    let json = JSONValue.object(["uafProtocolMessage": .string(answer.uafProtocolMessage)])
    do { try console.print(json, lines: [json.serializedString()]) } catch {
      // Whom it did not reach cannot answer: a new key is nobody's, and must not wait for a verdict.
      _ = try await options.refusing { try await client.notify(status: .undelivered, of: answer, facetID: facet) }
      throw error
    }
    return .success
  }
}

extension UAFServerStatus {
  /// What a server says to a message that it cannot read; it cannot have read this one.
  fileprivate static let undelivered = UAFServerStatus(rawValue: 1400)
}
