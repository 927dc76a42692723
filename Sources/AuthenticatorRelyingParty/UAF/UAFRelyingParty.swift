internal import AuthenticatorCoding
public import AuthenticatorCrypto

/// A relying party of FIDO UAF: makes requests, and knows its own again when the responses come.
///
/// It keeps nothing. What it must remember travels in the request's server data, which nobody else can make and which
/// covers the challenge; that a request was answered is for its owner to remember, under `UAFPendingRequest.challenge`,
/// until `expiresAt`.
///
/// ```swift
/// let issued = try party.registrationRequest(for: "u1", username: "mira", at: now)
/// // … the response comes …
/// let received = try UAFReceivedResponse(message: text)
/// let pending = try party.pending(received, context: "sign-up", at: now)
/// // … use up pending.challenge, once …
/// let verdict = try party.expectation(pending).verifyRegistration(received, at: now / 1000)
/// ```
public struct UAFRelyingParty: Sendable {
  /// Why a request cannot be made.
  public enum RequestError: String, Error, Hashable, Sendable {
    /// A user name of 0 or more than 128 characters, a subject of more than 512 or a context of more than 128 bytes, or
    /// both too long for the server data of a message.
    case name
    /// There is no key that could answer.
    case noKeys
    /// More than four forms of a transaction, or two of one type.
    case transactions
    /// The policy admits nothing, or no model that speaks a version of the requests.
    case policy
    /// An extension whose id has 0 or more than 32 characters, or whose data have more than 8,192; or more than 64.
    case extensions
    /// There is no randomness.
    case random
  }

  /// The app's name; nil: the facet's takes its place at the client.
  public var appID: String?
  /// The app's facets; web origins are compared as `UAFFacet` writes them.
  public var facets: [String]
  /// The versions of requests; each that a model could answer gets an entry of its own, whose policy names no model
  /// that does not speak it.
  public var versions: [UAFProtocolVersion] = [.uaf11]
  /// Which authenticators may register and sign in.
  public var policy: UAFAcceptancePolicy
  /// The models that are known.
  public var models: UAFModels
  /// What requests to register and to sign in ask for beyond the standard; their responses may repeat it.
  public var extensions: [UAFRequestedExtension] = []
  /// What is done about a changed enrollment.
  public var enrollmentPolicy = UAFExpectation.EnrollmentPolicy.stepUp
  /// What is done about a counter that did not rise.
  public var signCounterPolicy = UAFExpectation.SignCounterPolicy.reject
  /// How far registration counters may be ahead of what is known; see `UAFExpectation.maximumRegistrationCounter`.
  public var maximumRegistrationCounter: UInt32 = 65_535
  /// How long a request waits for its response, in milliseconds.
  public var lifetime: Int64 = 300_000
  /// More extensions than clients read in one place.
  static let maximumExtensions = 64
  private let key: SecretBytes
  private let random: @Sendable (Int) throws -> [UInt8]

  /// Makes a relying party.
  /// - Parameters:
  ///   - key: 32 secret bytes that prove a request to be its own; the same for all servers that answer for it.
  ///   - random: Makes challenges; the system's randomness unless given.
  public init(
    appID: String?, facets: [String], policy: UAFAcceptancePolicy, models: UAFModels, key: SecretBytes,
    random: @escaping @Sendable (Int) throws -> [UInt8] = { try SystemRandom.bytes($0) }
  ) {
    self.appID = appID
    self.facets = facets
    self.policy = policy
    self.models = models
    self.key = key
    self.random = random
  }

  // MARK: - Requests

  /// A request to register a key.
  /// - Parameters:
  ///   - subject: The account, for the server itself; at most 512 bytes. Clients can read it.
  ///   - username: As the person reads it; 1 to 128 characters.
  ///   - registered: The account's keys; an authenticator that has one of them is not asked again.
  ///   - context: What the request is for, for the server itself; at most 128 bytes.
  ///   - now: In milliseconds since 1970-01-01T00:00:00Z.
  ///
  /// Throws `RequestError`.
  public func registrationRequest(
    for subject: String, username: String, registered: [UAFRegistrationRecord] = [], context: String = "",
    lifetime: Int64? = nil, at now: Int64
  ) throws(RequestError) -> UAFIssuedRequest {
    guard (1...128).contains(username.unicodeScalars.count) else { throw .name }
    let known = Self.grouped(registered)
    var entries: [Entry] = []
    for version in versions {
      guard var policy = policy(in: version) else { continue }
      policy.disallowed += known
      entries.append((version, ["username": .string(username), "policy": .object(policy.json)]))
    }
    return try issue(.registration, entries, subject, context, lifetime, now)
  }

  /// A request to sign in, or to confirm a transaction.
  /// - Parameters:
  ///   - subject: The account, as for a registration; nil: whoever has one of the models that the policy admits, and
  ///     the key says who.
  ///   - registered: The account's keys; with a subject there must be one that the policy admits.
  ///   - transactions: The forms of one content, at most one of each type.
  ///   - now: In milliseconds since 1970-01-01T00:00:00Z.
  ///
  /// Throws `RequestError`.
  public func authenticationRequest(
    for subject: String?, registered: [UAFRegistrationRecord], transactions: [UAFTransactionContent] = [],
    context: String = "", lifetime: Int64? = nil, at now: Int64
  ) throws(RequestError) -> UAFIssuedRequest {
    guard Set(transactions.map(\.contentType)).count == transactions.count else { throw .transactions }
    var entries: [Entry] = []
    for version in versions {
      guard let policy = authenticationPolicy(subject, registered, in: version) else { continue }
      var entry: JSONObject = ["policy": .object(policy.json)]
      if !transactions.isEmpty { entry["transaction"] = .array(transactions.map(\.json)) }
      entries.append((version, entry))
    }
    guard !entries.isEmpty || subject == nil else { throw .noKeys }
    return try issue(.authentication, entries, subject, context, lifetime, now, transactions.map(\.hash))
  }

  /// One criterion a model, with its keys.
  private static func grouped(_ records: [UAFRegistrationRecord]) -> [UAFAcceptanceCriteria] {
    var order: [String] = []
    var keys: [String: [String]] = [:]
    for record in records {
      if keys[record.aaid] == nil { order.append(record.aaid) }
      keys[record.aaid, default: []].append(record.keyIDText)
    }
    return order.map { UAFAcceptanceCriteria(aaids: [$0], keyIDs: keys[$0]) }
  }

  /// A message that has a client delete keys. It needs no answer, so it carries no server data.
  ///
  /// Throws `RequestError` (`noKeys`).
  public func deregistrationRequest(
    for registered: [UAFRegistrationRecord]
  ) throws(RequestError) -> String {
    guard !registered.isEmpty else { throw .noKeys }
    return JSONValue.array(
      versions.compactMap { version in
        // A key whose model is not known any more, or speaks none of these versions by now, goes in all of them.
        let authenticators = registered.filter { record in
          let spoken = models[record.aaid]?.versions.filter(versions.contains) ?? []
          return spoken.isEmpty || spoken.contains(version)
        }
        if authenticators.isEmpty { return nil }
        return [
          "header": .object(header(.deregistration, version, serverData: nil)),
          "authenticators": .array(
            authenticators.map { ["aaid": .string($0.aaid), "keyID": .string($0.keyIDText)] }),
        ]
      }
    ).serializedString()
  }

  private func header(
    _ operation: UAFServerOperation, _ version: UAFProtocolVersion, serverData: String?
  ) -> JSONObject {
    var header: JSONObject = ["upv": version.json, "op": .string(operation.rawValue)]
    if let appID, !appID.isEmpty { header["appID"] = .string(appID) }
    if let serverData { header["serverData"] = .string(serverData) }
    // Nothing is asked of keys that go.
    if operation != .deregistration, !extensions.isEmpty { header["exts"] = .array(extensions.map(\.json)) }
    return header
  }

  /// What one version of a request says, apart from its head and its challenge.
  private typealias Entry = (version: UAFProtocolVersion, members: JSONObject)

  private func issue(
    _ operation: UAFServerOperation, _ entries: [Entry], _ subject: String?, _ context: String, _ lifetime: Int64?,
    _ now: Int64, _ hashes: [[UInt8]] = []
  ) throws(RequestError) -> UAFIssuedRequest {
    guard subject?.utf8.count ?? 0 <= 512, context.utf8.count <= 128 else { throw .name }
    guard !entries.isEmpty, !policy.accepted.isEmpty, policy.accepted.allSatisfy({ !$0.isEmpty }) else { throw .policy }
    guard extensions.count <= Self.maximumExtensions, extensions.allSatisfy(\.isInBounds) else { throw .extensions }
    let bytes: [UInt8]
    do { bytes = try random(32) } catch { throw .random }
    let challenge = Base64URL.encode(bytes)
    let expiresAt = now.addingReportingOverflow(min(lifetime ?? self.lifetime, self.lifetime)).partialValue
    let serverData = UAFServerData(
      operation: operation, challenge: challenge, subject: subject, context: context, expiresAt: expiresAt,
      transactionHashes: hashes
    ).sealed(with: key)
    guard UAFReceivedHeader.serverDataLength.contains(serverData.utf8.count) else { throw .name }
    let messages = entries.map { entry -> JSONValue in
      var object: JSONObject = [
        "header": .object(header(operation, entry.version, serverData: serverData)), "challenge": .string(challenge),
      ]
      for member in entry.members { object[member.name] = member.value }
      return .object(object)
    }
    return UAFIssuedRequest(
      message: JSONValue.array(messages).serializedString(), challenge: challenge, serverData: serverData,
      expiresAt: expiresAt)
  }

  // MARK: - Responses

  /// What a response is one to. Its owner must use the challenge up before it verifies, whatever comes of it.
  /// - Parameters:
  ///   - context: What the request must have been for.
  ///   - now: In milliseconds since 1970-01-01T00:00:00Z.
  ///
  /// Throws `UAFVerificationError`: `serverDataInvalid`, `requestExpired`, `operationMismatch`.
  public func pending(
    _ response: UAFReceivedResponse, context: String = "", at now: Int64
  ) throws(UAFVerificationError) -> UAFPendingRequest {
    guard let text = response.header.serverData, let data = UAFServerData(sealed: text, key: key),
      data.context.isIdentical(to: context)
    else { throw UAFVerificationError(.serverDataInvalid, "the server data is not one of this server and purpose") }
    guard data.operation == response.header.operation else {
      throw UAFVerificationError(.operationMismatch, "the response is one to another operation")
    }
    guard now < data.expiresAt else { throw UAFVerificationError(.requestExpired, "the request's time is over") }
    return UAFPendingRequest(
      operation: data.operation, challenge: data.challenge, subject: data.subject, expiresAt: data.expiresAt,
      serverData: text, transactionHashes: data.transactionHashes)
  }

  /// What is expected of the response to a request of this party.
  /// - Parameter registered: For an authentication, the keys of the request's subject.
  ///
  /// Throws `UAFVerificationError` when none of them may answer: `keyNotAdmitted`, and `keyUnknown` where there is
  /// none.
  public func expectation(
    _ pending: UAFPendingRequest, registered: [UAFRegistrationRecord] = []
  ) throws(UAFVerificationError) -> UAFExpectation {
    var policy = policy
    if pending.operation == .authentication {
      guard let narrowed = authenticationPolicy(pending.subject, registered) else {
        throw UAFVerificationError(
          registered.isEmpty ? .keyUnknown : .keyNotAdmitted, "the user has no key that may answer")
      }
      policy = narrowed
    }
    var expectation = UAFExpectation(
      challenge: pending.challenge, appID: appID, serverData: pending.serverData, versions: versions, policy: policy,
      models: models, facets: Set(facets))
    expectation.transactionHashes = pending.transactionHashes
    expectation.extensionIDs = Set(extensions.map(\.id))
    expectation.enrollmentPolicy = enrollmentPolicy
    expectation.signCounterPolicy = signCounterPolicy
    expectation.maximumRegistrationCounter = maximumRegistrationCounter
    return expectation
  }
}
