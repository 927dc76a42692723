import AuthenticatorCore

/// What a server answered to a response (FIDO UAF Application API, section "UAF Status Codes"). Open.
public struct UAFServerStatus: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Accepted.
  public static let ok = UAFServerStatus(rawValue: 1200)
  /// Received; the verdict comes later.
  public static let accepted = UAFServerStatus(rawValue: 1202)
  /// The server ended it for lack of time.
  public static let requestTimeout = UAFServerStatus(rawValue: 1408)
  /// The server does not know the key: it should go.
  public static let unknownKeyID = UAFServerStatus(rawValue: 1481)
  /// The server does not know the request, its time is over, or it was answered before: then with this response,
  /// perhaps.
  public static let requestInvalid = UAFServerStatus(rawValue: 1491)
  /// The server failed.
  public static let internalError = UAFServerStatus(rawValue: 1500)

  /// Every number that the specification defines.
  public static let defined: Set<UAFServerStatus> = Set(
    ([1200, 1202, 1400, 1401, 1403, 1404, 1408, 1480, 1481] + Array(1490...1498) + [1500]).map(UAFServerStatus.init))

  /// Whether it says for certain that a new key was not taken.
  var refusesRegistration: Bool {
    rawValue >= 1400 && ![.requestTimeout, .requestInvalid, .internalError].contains(self)
  }
}

extension UAFClient {
  /// Tells the client what the server said to a response (`notifyUAFResult`).
  ///
  /// A new key is confirmed by 1200 and then takes the place of the user's older key of the same model; a refusal
  /// destroys it. 1202, 1408, 1491 and 1500 leave it as it is. 1481 deletes the key that signed, unless several did: it
  /// does not say which of them it means.
  /// - Returns: how many of the caller's keys the response speaks of; 0 when none of them is here.
  /// - Throws: `invalidMessage` for text that is no response; `storageFailed`.
  @discardableResult
  public func notify(status: UAFServerStatus, of response: UAFMessage, facetID: String) async throws -> Int {
    // Nothing to settle after a deregistration.
    guard !response.uafProtocolMessage.isEmpty else { return 0 }
    var count = 0
    let response = try UAFResponse(response.uafProtocolMessage)
    let facet = try FacetID(facetID)
    let module = module(callerID: facet.normalized)
    let tokens = try await module.tokens(of: facet.application(response.header.appID))
    let keys = try await module.keys(tokens)
    for (aaid, keyID) in try response.assertions.map({ try Self.key(of: $0, op: response.header.op) }) {
      guard let key = keys.first(where: { $0.handle.aaid == aaid && $0.handle.keyID == keyID }) else { continue }
      count += 1
      if status == .ok {
        try await module.confirm(key, tokens)
      } else if response.header.op == .registration, key.record.state == .staged, status.refusesRegistration {
        try await configuration.context.keyStore.discard(key.record.tag)
      } else if status == .unknownKeyID, response.assertions.count == 1 {
        try await configuration.context.keyStore.delete(key.record.tag)
      }
    }
    return count
  }

  /// Settles what an interrupted run left: keys whose response was never made are destroyed once their operation must
  /// have ended, and keys that an accepted one has replaced are deleted. Keys whose response was made wait for the
  /// server's word, which may know them though the response's fate is not known here: they sign when it names them or
  /// their user has no other, take no room after some minutes, and go when a newer key of their user is accepted. A
  /// store that cannot be written is left as it is.
  public func recover() async throws {
    let store = configuration.context.keyStore
    do { try store.checkWritable() } catch { return }
    let query = KeyQuery(instance: configuration.context.instance, family: .uaf, states: [.staged, .retired])
    let records = try await store.records(matching: query)
    for record in records where record.state == .retired { try await store.delete(record.tag) }
    let staged = try records.filter { $0.state == .staged }.map { record in
      RegisteredKey(record: record, handle: try KeyHandle(record.attributes))
    }
    try await module(callerID: "").discardUnanswered(staged)
  }

  private static func key(
    of assertion: UAFResponse.Assertion, op: UAFOperation
  ) throws -> (AAID, UAFKeyID) {
    do {
      guard op == .registration else {
        let data = try AuthenticationAssertion(assertion.assertion).signedData
        return (data.aaid, data.keyID)
      }
      let data = try RegistrationAssertion(assertion.assertion).keyRegistrationData
      return (data.aaid, data.keyID)
    } catch {
      throw AuthenticatorError(
        .invalidMessage, stage: "uaf.message", reason: "an assertion is malformed", underlying: error)
    }
  }
}
