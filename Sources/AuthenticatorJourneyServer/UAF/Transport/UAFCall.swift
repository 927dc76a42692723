internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorRelyingParty

/// One request to `/uaf/request` or `/uaf/response` on its way to an answer, whose status code is one of UAF's.
struct UAFCall: Sendable {
  let body: JSONObject
  let server: JourneyServer
  let session: SessionRecord?
  let isRequest: Bool

  private var services: UAFServices { server.uaf }
  private var party: UAFRelyingParty { services.party(at: server.address) }

  /// Why there is nothing to send.
  private struct Refusal: Error {
    let status: UAFStatusCode
  }

  func answer() async throws -> JSONObject {
    do {
      return isRequest ? try await request() : try await response()
    } catch let error as UAFVerificationError {
      server.configuration.log(.proofRefused(journey: "uaf", check: error.code.rawValue))
      return Self.refused(error.statusCode)
    } catch let error as Refusal {
      return Self.refused(error.status)
    } catch let error as UAFRelyingParty.RequestError where error == .name {
      // The user's name is longer than messages may have it, and stays so.
      return Self.refused(.forbidden)
    } catch is UAFRelyingParty.RequestError {
      return Self.refused(.badRequest)
    } catch is UAFQuotaReached {
      return Self.refused(.forbidden)
    }
  }

  private static func refused(_ status: UAFStatusCode) -> JSONObject {
    ["statusCode": .integer(Int64(status.rawValue))]
  }

  // MARK: Requests

  private func request() async throws -> JSONObject {
    guard let operation = body["op"]?.stringValue.flatMap(UAFServerOperation.init(rawValue:)) else {
      throw Refusal(status: .badRequest)
    }
    try Self.admit(["op", "previousRequest", "context"], of: body)
    if let previous = body["previousRequest"], previous.stringValue == nil { throw Refusal(status: .badRequest) }
    let context = try Self.context(body["context"])
    var answer: JSONObject = ["statusCode": .integer(Int64(UAFStatusCode.ok.rawValue))]
    switch operation {
    case .registration:
      try Self.admit([], of: context)
      let issued = try await services.registrationRequest(
        for: try await user(), context: UAFTransport.context, party)
      answer["uafRequest"] = .string(issued.message)
    case .authentication:
      try Self.admit(["username", "transaction"], of: context)
      let wantsTransaction = try Self.flag("transaction", of: context)
      let transactions =
        wantsTransaction ? [try UAFTransactionContent(text: services.settings.transactionText)] : []
      let issued = try await services.authenticationRequest(
        forUserNamed: try Self.username(context), in: services.realm, transactions: transactions, conceals: true,
        context: UAFTransport.context, party)
      answer["uafRequest"] = .string(issued.message)
    case .deregistration:
      try Self.admit(["authenticators"], of: context)
      let removed = try await services.registry.removeUAFKeys(
        try Self.names(context), ofUser: try await user().id, realm: services.realm)
      guard !removed.isEmpty else { throw Refusal(status: .notFound) }
      answer["uafRequest"] = .string(try party.deregistrationRequest(for: removed.map(\.registration)))
    }
    answer["op"] = .string(operation.rawValue)
    if operation != .deregistration {
      answer["lifetimeMillis"] = .integer(party.lifetime)
    }
    return answer
  }

  /// The user of the session.
  private func user() async throws -> UserRecord {
    guard let session, let user = try await services.registry.user(id: session.userID, in: services.realm),
      user.isActive
    else { throw Refusal(status: .unauthorized) }
    return user
  }

  /// Refuses members that nobody knows: what is misspelled would silently be something else, a plain sign-in in place
  /// of a confirmation, or the removal of all keys in place of one.
  private static func admit(_ names: Set<String>, of object: JSONObject) throws(Refusal) {
    guard object.names.allSatisfy(names.contains) else { throw Refusal(status: .badRequest) }
  }

  private static func flag(_ name: String, of context: JSONObject) throws(Refusal) -> Bool {
    guard let value = context[name] else { return false }
    guard let flag = value.boolValue else { throw Refusal(status: .badRequest) }
    return flag
  }

  private static func context(_ value: JSONValue?) throws(Refusal) -> JSONObject {
    guard let value else { return [:] }
    let limits = JSONLimits(bytes: 64 * 1024, depth: 4, textBytes: 4096, values: 1024)
    guard let text = value.stringValue, let object = (try? JSONValue.parse(text, limits: limits))?.objectValue else {
      throw Refusal(status: .badRequest)
    }
    return object
  }

  private static func username(_ context: JSONObject) throws(Refusal) -> String? {
    guard let value = context["username"] else { return nil }
    guard let name = value.stringValue, (1...PasswordAuthority.maximumUsernameBytes).contains(name.utf8.count) else {
      throw Refusal(status: .badRequest)
    }
    return name
  }

  private static func names(_ context: JSONObject) throws(Refusal) -> [UAFKeyName]? {
    guard let value = context["authenticators"] else { return nil }
    guard let list = value.arrayValue, !list.isEmpty else { throw Refusal(status: .badRequest) }
    for entry in list { try admit(["aaid", "keyID"], of: entry.objectValue ?? [:]) }
    let names = list.compactMap(UAFKeyName.init(json:))
    guard names.count == list.count else { throw Refusal(status: .badRequest) }
    return names
  }

  // MARK: Responses

  private func response() async throws -> JSONObject {
    try Self.admit(["uafResponse", "context"], of: body)
    let context = try Self.context(body["context"])
    try Self.admit(["acceptChangedEnrollment"], of: context)
    let accepts = try Self.flag("acceptChangedEnrollment", of: context)
    guard let text = body["uafResponse"]?.stringValue else { throw Refusal(status: .badRequest) }
    let received = try UAFReceivedResponse(message: text)
    // Who is nobody cannot use up somebody's request.
    if received.header.operation == .registration { _ = try await user() }
    let pending = try await services.open(received, context: UAFTransport.context, party)
    switch pending.operation {
    case .registration:
      _ = try await services.register(received, pending, for: try await user(), party)
      return ["statusCode": .integer(Int64(UAFStatusCode.ok.rawValue)), "description": "registered"]
    default:
      let (user, verdict) = try await services.authenticate(received, pending, in: services.realm, party)
      let hasSession = session?.userID == user.id
      // With a session of the user comes another proof; it could as well remove the key and register it anew.
      var isAccepted = !verdict.needsStepUp
      if !isAccepted, accepts, hasSession {
        isAccepted = try await services.acceptChangedEnrollment(verdict.signers, of: user)
      }
      guard isAccepted else {
        return Self.pending("the enrolled set has changed: sign in another way, then accept it")
      }
      guard hasSession || !verdict.isSecondFactorOnly else {
        return Self.pending("a second factor alone signs nobody in: sign in another way first")
      }
      let token = try await server.makeSession(for: user, journeys: [], now: server.now)
      server.configuration.log(.clientSignedIn(realm: services.realm, strategy: "uaf"))
      var answer: JSONObject = [
        "statusCode": .integer(Int64(UAFStatusCode.ok.rawValue)), "description": "signed in",
        "additionalTokens": [
          ["type": "HTTP_COOKIE", "value": .string("\(server.configuration.cookieName)=\(token)")]
        ],
      ]
      if let hash = verdict.confirmedHash {
        answer["description"] = "confirmed and signed in"
        answer["transaction"] = services.confirmation(hash)
      }
      return answer
    }
  }

  /// Verified, and not enough.
  private static func pending(_ description: String) -> JSONObject {
    ["statusCode": .integer(Int64(UAFStatusCode.accepted.rawValue)), "description": .string(description)]
  }
}
