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
    "requiresChannelBinding", "maximumRegistrationCounter",
  ]

  /// Takes a request message and an expectation: `metadata` (statements) and `facets`, for an authentication
  /// `registrations`, and optionally `enrollmentPolicy` (reject, stepUp, accept), `signCounterPolicy` (reject, flag),
  /// `channelBinding`, `requiresChannelBinding` and `maximumRegistrationCounter`.
  /// - Parameter version: The entry of the request that was answered; nil: the request has one entry.
  ///
  /// Throws `ExpectationError`, which names the member; those of the request stand below `request`. A member with which
  /// no response could ever be verified is one: no statement, no facet, a facet that is none, for a registration a
  /// model that cannot attest, for an authentication no key.
  public init(request: JSONValue, expect: JSONValue, version: UAFProtocolVersion? = nil) throws(ExpectationError) {
    let members = try ExpectationMembers(expect)
    try members.admit(Self.known)
    let entry = try Self.entry(request, version)
    let header = try ExpectationMembers(entry.object["header"] ?? .null, path: "request.header")
    guard let operation = UAFServerOperation(rawValue: try header.text("op")), operation != .deregistration else {
      throw header.error("op")
    }
    guard let upv = header.object["upv"].flatMap(UAFProtocolVersion.init(json:)) else { throw header.error("upv") }
    guard UAFProtocolVersion.known.contains(upv) else {
      throw ExpectationError(header.error("upv").member, isUseless: true)
    }
    if operation == .registration { try Self.checkUsername(entry) }
    let models = try UAFModels(
      json: members.object["metadata"] ?? .null, thatAttest: operation == .registration)
    let policy = try UAFAcceptancePolicy(
      json: entry.object["policy"] ?? .null, path: "request.policy", strict: false)
    var expectation = UAFExpectation(
      challenge: try entry.text("challenge"), appID: try header.optionalText("appID"),
      serverData: try header.optionalText("serverData"), versions: [upv], policy: policy, models: models,
      facets: try Self.facets(members))
    let transactions = entry.object["transaction"].map(\.arrayValue) ?? []
    guard let transactions else { throw entry.error("transaction") }
    for (index, element) in transactions.enumerated() {
      guard let content = UAFTransactionContent(json: element) else {
        throw ExpectationError("request.transaction.\(index)")
      }
      expectation.transactions.append(content)
    }
    expectation.enrollmentPolicy = try members.word("enrollmentPolicy") ?? expectation.enrollmentPolicy
    expectation.signCounterPolicy = try members.word("signCounterPolicy") ?? expectation.signCounterPolicy
    expectation.extensionIDs = try Self.extensionIDs(header)
    if let binding = try members.optionalMembers("channelBinding") {
      expectation.channelBinding = try UAFChannelBinding(binding)
    }
    expectation.requiresChannelBinding = try members.optionalBool("requiresChannelBinding") ?? false
    // Nothing could ever be equal to what is not known.
    guard !expectation.requiresChannelBinding || !expectation.channelBinding.known.isEmpty else {
      throw members.error("channelBinding")
    }
    expectation.maximumRegistrationCounter =
      try members.optionalNumber("maximumRegistrationCounter") ?? expectation.maximumRegistrationCounter
    // The first registration of any authenticator that counts has a higher one.
    guard expectation.maximumRegistrationCounter > 0 else {
      throw ExpectationError("maximumRegistrationCounter", isUseless: true)
    }
    var registrations: [UAFRegistrationRecord] = []
    if let value = members.object["registrations"] {
      guard let list = value.arrayValue else { throw members.error("registrations") }
      for (index, element) in list.enumerated() {
        registrations.append(try UAFRegistrationRecord(json: element, path: "registrations.\(index)"))
      }
    }
    // Well formed, and of no use: then no response is to blame.
    guard !models.isEmpty else { throw members.error("metadata") }
    guard !expectation.facets.isEmpty else { throw members.error("facets") }
    guard operation == .registration || !registrations.isEmpty else { throw members.error("registrations") }
    self.operation = operation
    self.expectation = expectation
    self.registrations = registrations
  }

  private static func facets(_ members: ExpectationMembers) throws(ExpectationError) -> Set<String> {
    let texts = try members.texts("facets")
    for (index, text) in texts.enumerated() where UAFFacet.normalized(text) == nil {
      throw members.error("facets.\(index)")
    }
    return Set(texts)
  }

  /// The ids of the request's extensions.
  private static func extensionIDs(_ header: ExpectationMembers) throws(ExpectationError) -> Set<String> {
    guard let value = header.object["exts"] else { return [] }
    guard let list = value.arrayValue, (1...UAFRelyingParty.maximumExtensions).contains(list.count) else {
      throw header.error("exts")
    }
    let read = list.compactMap(UAFRequestedExtension.init(json:))
    guard read.count == list.count else { throw header.error("exts") }
    return Set(read.map(\.id))
  }

  private static func entry(
    _ request: JSONValue, _ version: UAFProtocolVersion?
  ) throws(ExpectationError) -> ExpectationMembers {
    guard let list = request.arrayValue, !list.isEmpty else { throw ExpectationError("request") }
    let versions = list.map { $0["header"]?["upv"].flatMap(UAFProtocolVersion.init(json:)) }
    guard Set(versions).count == versions.count else { throw ExpectationError("request") }
    guard let version, list.count > 1 else { return try ExpectationMembers(list[0], path: "request") }
    // A version that was not offered, or that nobody speaks here, is for the verification to refuse.
    let spoken = versions.firstIndex { $0.map(UAFProtocolVersion.known.contains) ?? true }
    let asked = UAFProtocolVersion.known.contains(version) ? versions.firstIndex(of: version) : nil
    return try ExpectationMembers(list[asked ?? spoken ?? 0], path: "request")
  }

  /// No client takes a registration without a name of 1 to 128 characters for a message.
  private static func checkUsername(_ entry: ExpectationMembers) throws(ExpectationError) {
    guard (1...128).contains(try entry.text("username").unicodeScalars.count) else { throw entry.error("username") }
  }

  /// Verifies a response and says what came of it: `{"verified": true, "operation", "facetID", "statusCode",
  /// "registrations", "refused"}`, for a registration also `"methods"`, one list for each record, for an authentication
  /// `"stepUp"`, `"signers"` and `"confirmedHash"`. The status is 1202 where a step-up is needed and where a second
  /// factor alone has signed, else 1200.
  /// - Parameter time: The time at which certificates must be valid, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// Throws `UAFVerificationError`.
  public func verify(_ response: UAFReceivedResponse, at time: Int64) throws(UAFVerificationError) -> JSONObject {
    switch operation {
    case .authentication:
      let verdict = try expectation.verifyAuthentication(response, registered: registrations)
      var object = Self.head(operation, verdict.facetID, verdict.refused, verdict.signers.map(\.registration))
      // As servers answer: what is verified may need something beside it to sign anybody in.
      if verdict.needsStepUp || verdict.isSecondFactorOnly {
        object["statusCode"] = .integer(Int64(UAFStatusCode.accepted.rawValue))
      }
      object["stepUp"] = .bool(verdict.needsStepUp)
      object["signers"] = .array(
        verdict.signers.map { signer in
          [
            "aaid": .string(signer.registration.aaid), "keyID": .string(signer.registration.keyIDText),
            "enrollmentChanged": .bool(signer.isEnrollmentChanged),
            "signCounterMismatch": .bool(signer.isCounterNotIncreased),
            "secondFactorOnly": .bool(signer.isSecondFactorOnly),
            "methods": .array(signer.reportedMethods.map(\.json)),
          ]
        })
      object["confirmedHash"] = verdict.confirmedHash.map { .string(Base64URL.encode($0)) } ?? .null
      return object
    default:
      let verdict = try expectation.verifyRegistration(response, registered: registrations, at: time)
      var object = Self.head(operation, verdict.facetID, verdict.refused, verdict.registrations)
      object["methods"] = .array(verdict.reportedMethods.map { .array($0.map(\.json)) })
      return object
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
