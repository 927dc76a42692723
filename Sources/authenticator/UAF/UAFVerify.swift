import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorRelyingParty
import AuthenticatorUAF

/// `uaf verify`: the server's side of a registration or an authentication.
struct UAFVerify: Verb {
  static let syntax = Syntax(
    "uaf", "verify", summary: "verify a UAF response as a server",
    options: [
      Option("--request", .value("FILE"), "the message that was sent; - is standard input", readsInput: true),
      Option("--response", .value("FILE"), "what 'uaf process' printed, or the message in it", readsInput: true),
      Option("--expect", .value("FILE"), "registrations, metadata and facets", readsInput: true),
    ],
    notes: [
      """
      The expectation: 'metadata' (statements, as 'uaf discover --metadata' prints them) and 'facets' (an https origin \
      in any form, an app as a whole text), neither empty; for an authentication 'registrations' (what an earlier \
      verification printed); and optionally 'enrollmentPolicy' (reject, stepUp, accept), 'signCounterPolicy' (reject, \
      flag), 'channelBinding' (serverEndPoint, tlsServerCertificate, tlsUnique, cid_pubkey), \
      'requiresChannelBinding' and 'maximumRegistrationCounter'.
      """,
      """
      Exit status: 0 verified ('statusCode' is 1202 where more is needed to sign anybody in: a step-up, or another factor \
      beside a second one), 1 not verified ('error' and 'step' tell the first step that failed), 2 usage, 3 a file \
      that cannot be read, is not JSON, or says nothing that could be expected: what the expectation lacks is named, \
      also a model that cannot attest in a registration, for ECDAA or full attestation without roots, and what makes the \
      request one that no client takes.
      """,
    ])

  private let requestPath: String
  private let responsePath: String
  private let expectationPath: String

  init(_ arguments: Arguments) throws {
    requestPath = try arguments.required("--request")
    responsePath = try arguments.required("--response")
    expectationPath = try arguments.required("--expect")
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let request = try Self.inner(requestPath)
    let expect = try InputFile.json(expectationPath)
    let text = try Self.inner(responsePath)
    do {
      let response = try UAFReceivedResponse(message: text.serializedString())
      let job: UAFVerificationJob
      do {
        job = try UAFVerificationJob(request: request, expect: expect, version: response.header.version)
      } catch {
        throw unusable(error)
      }
      let verdict = try job.verify(response, at: SystemClock.now().seconds)
      let isEnough = verdict["statusCode"]?.intValue == Int(UAFStatusCode.ok.rawValue)
      try console.print(
        .object(verdict), lines: [isEnough ? "verified" : "verified; not enough to sign anybody in (1202)"])
      return .success
    } catch let error as UAFVerificationError {
      try console.print(error.json, lines: [])
      if !console.isJSON {
        console.say("authenticator: not verified, at \(error.step): \(error.reason) (\(error.code.rawValue))")
      }
      return .refused
    }
  }

  /// Names the file that the member is in.
  private func unusable(_ error: ExpectationError) -> Failure {
    guard error.member == "request" || error.member.hasPrefix("request.") else {
      return .unusable("inputUnusable", "\(InputFile.name(expectationPath)): \(error)", stage: "expect")
    }
    let member = error.member.dropFirst("request.".count)
    let what = member.isEmpty ? "is no list of requests" : "\(member) \(error.complaint)"
    return .unusable(
      "inputUnusable", "\(InputFile.name(requestPath)): \(what)", stage: "request")
  }

  /// The protocol message inside its wrapping.
  private static func inner(_ path: String) throws -> JSONValue {
    let json = try InputFile.json(path)
    guard let text = (json["uafProtocolMessage"] ?? json["uafRequest"] ?? json["uafResponse"])?.stringValue else {
      return json
    }
    guard let inner = try? JSONValue.parse(text) else {
      throw Failure.unusable(
        "inputUnusable", "\(InputFile.name(path)): the wrapped message is not JSON", stage: "input")
    }
    return inner
  }
}
