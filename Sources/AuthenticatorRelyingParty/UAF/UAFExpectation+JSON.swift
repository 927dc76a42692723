public import AuthenticatorCoding

/// What a response is verified against when everything comes as JSON: the request that was sent, the server's settings
/// and the registered keys.
public struct UAFVerificationJob: Sendable {
  /// The request's operation.
  public let operation: UAFServerOperation
  /// What is expected.
  public let expectation: UAFExpectation
  /// The registered keys.
  public let registrations: [UAFRegistrationRecord]

  private static let known: Set<String> = [
    "registrations", "metadata", "facets", "enrollmentPolicy", "signCounterPolicy", "channelBinding",
    "requiresChannelBinding",
  ]

  /// Takes a request message and an expectation: `metadata` (statements), `facets`, and optionally `registrations`,
  /// `enrollmentPolicy` (reject, stepUp, accept), `signCounterPolicy` (reject, flag), `channelBinding` and
  /// `requiresChannelBinding`.
  /// - Parameter version: The entry of the request that was answered; nil: the request has one entry.
  ///
  /// Throws `ExpectationError`, which names the member; those of the request stand below `request`.
  public init(request: JSONValue, expect: JSONValue, version: UAFProtocolVersion? = nil) throws(ExpectationError) {
    let members = try ExpectationMembers(expect)
    for name in members.object.names where !Self.known.contains(name) { throw members.error(name) }
    let entry = try Self.entry(request, version)
    let header = try ExpectationMembers(entry.object["header"] ?? .null, path: "request.header")
    guard let operation = UAFServerOperation(rawValue: try header.text("op")), operation != .deregistration else {
      throw header.error("op")
    }
    guard let upv = header.object["upv"].flatMap(UAFProtocolVersion.init(json:)) else { throw header.error("upv") }
    let models = try UAFModels(json: members.object["metadata"] ?? .null)
    let policy = try UAFAcceptancePolicy(
      json: entry.object["policy"] ?? .null, path: "request.policy", strict: false)
    var expectation = UAFExpectation(
      challenge: try entry.text("challenge"), appID: try header.optionalText("appID"),
      serverData: try header.optionalText("serverData"), versions: [upv], policy: policy, models: models,
      facets: Set(try members.texts("facets")))
    for (index, element) in (entry.object["transaction"]?.arrayValue ?? []).enumerated() {
      guard let content = UAFTransactionContent(json: element) else {
        throw ExpectationError("request.transaction.\(index)")
      }
      expectation.transactions.append(content)
    }
    expectation.enrollmentPolicy = try members.word("enrollmentPolicy") ?? expectation.enrollmentPolicy
    expectation.signCounterPolicy = try members.word("signCounterPolicy") ?? expectation.signCounterPolicy
    if let binding = try members.optionalMembers("channelBinding") {
      for name in binding.object.names { expectation.channelBinding[name] = try binding.text(name) }
    }
    expectation.requiresChannelBinding = try members.optionalBool("requiresChannelBinding") ?? false
    var registrations: [UAFRegistrationRecord] = []
    if let value = members.object["registrations"] {
      guard let list = value.arrayValue else { throw members.error("registrations") }
      for (index, element) in list.enumerated() {
        registrations.append(try UAFRegistrationRecord(json: element, path: "registrations.\(index)"))
      }
    }
    self.operation = operation
    self.expectation = expectation
    self.registrations = registrations
  }

  private static func entry(
    _ request: JSONValue, _ version: UAFProtocolVersion?
  ) throws(ExpectationError) -> ExpectationMembers {
    guard let list = request.arrayValue, !list.isEmpty else { throw ExpectationError("request") }
    let versions = list.map { $0["header"]?["upv"].flatMap(UAFProtocolVersion.init(json:)) }
    guard Set(versions).count == versions.count else { throw ExpectationError("request") }
    guard let version, list.count > 1 else { return try ExpectationMembers(list[0], path: "request") }
    guard let index = versions.firstIndex(of: version) else { throw ExpectationError("request") }
    return try ExpectationMembers(list[index], path: "request")
  }

  /// Verifies a response and says what came of it: `{"verified": true, "operation", "facetID", "statusCode",
  /// "registrations", "refused"}`, for an authentication also `"stepUp"` and `"signers"`.
  /// - Parameter time: The time at which certificates must be valid, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// Throws `UAFVerificationError`.
  public func verify(_ response: UAFReceivedResponse, at time: Int64) throws(UAFVerificationError) -> JSONObject {
    switch operation {
    case .authentication:
      let verdict = try expectation.verifyAuthentication(response, registered: registrations)
      var object = Self.head(operation, verdict.facetID, verdict.refused, verdict.signers.map(\.registration))
      object["stepUp"] = .bool(verdict.needsStepUp)
      object["signers"] = .array(
        verdict.signers.map { signer in
          [
            "aaid": .string(signer.registration.aaid), "keyID": .string(signer.registration.keyIDText),
            "enrollmentChanged": .bool(signer.isEnrollmentChanged),
            "signCounterMismatch": .bool(signer.isCounterNotIncreased),
          ]
        })
      object["confirmedHash"] = verdict.confirmedHash.map { .string(Base64URL.encode($0)) } ?? .null
      return object
    default:
      let verdict = try expectation.verifyRegistration(response, registered: registrations, at: time)
      return Self.head(operation, verdict.facetID, verdict.refused, verdict.registrations)
    }
  }

  private static func head(
    _ operation: UAFServerOperation, _ facetID: String, _ refused: [UAFRefusedAssertion],
    _ records: [UAFRegistrationRecord]
  ) -> JSONObject {
    [
      "verified": true, "operation": .string(operation.rawValue), "facetID": .string(facetID),
      "statusCode": .integer(Int64(UAFStatusCode.ok.rawValue)), "registrations": .array(records.map(\.json)),
      "refused": .array(
        refused.map {
          ["aaid": $0.aaid.map(JSONValue.string) ?? .null, "error": .string($0.error.code.rawValue)]
        }),
    ]
  }
}

extension UAFVerificationError {
  /// `{"verified": false, "error": CODE, "step": TEXT, "reason": TEXT, "statusCode": NUMBER}`.
  public var json: JSONValue {
    [
      "verified": false, "error": .string(code.rawValue), "step": .string(step), "reason": .string(reason),
      "statusCode": .integer(Int64(statusCode.rawValue)),
    ]
  }
}
