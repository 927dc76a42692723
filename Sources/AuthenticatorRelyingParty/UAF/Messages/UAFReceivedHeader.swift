public import AuthenticatorCoding

/// The head of a message (UAF Protocol 1.1 section 3.1.4, "OperationHeader").
public struct UAFReceivedHeader: Hashable, Sendable {
  /// The protocol's version.
  public let version: UAFProtocolVersion
  /// What the message is about.
  public let operation: UAFServerOperation
  /// The app; nil when it is left out or empty: then the facet takes its place.
  public let appID: String?
  /// What the server put in; nil when it put nothing in.
  public let serverData: String?
  /// The ids of the extensions that must be understood; a client copies those of the request.
  let extensionsToUnderstand: Set<String>

  static let appIDLength = 0...512
  static let serverDataLength = 1...1536

  init(_ members: UAFMembers) throws(UAFVerificationError) {
    guard let version = members.object["upv"].flatMap(UAFProtocolVersion.init(json:)) else {
      throw UAFVerificationError(.messageMalformed, "the header has no version")
    }
    guard let operation = UAFServerOperation(rawValue: try members.text("op", 1...16)) else {
      throw UAFVerificationError(.messageMalformed, "the header's operation is none")
    }
    self.version = version
    self.operation = operation
    appID = try members.optionalText("appID", Self.appIDLength).flatMap { $0.isEmpty ? nil : $0 }
    serverData = try members.optionalText("serverData", Self.serverDataLength)
    extensionsToUnderstand = try members.extensionsToUnderstand()
  }
}

/// The response to a registration or authentication request, read and not judged.
public struct UAFReceivedResponse: Sendable {
  /// One assertion as it came.
  struct Assertion: Sendable {
    let scheme: String
    let bytes: [UInt8]
    let extensionsToUnderstand: Set<String>
  }

  /// The longest response that is looked at, in bytes.
  public static let maximumBytes = 128 * 1024
  /// Assertions in one response.
  static let maximumAssertions = 32

  /// The head.
  public let header: UAFReceivedHeader
  /// The final challenge parameters as they were sent: what authenticators hash.
  let finalChallenge: String
  let assertions: [Assertion]

  private static let limits = JSONLimits(
    bytes: maximumBytes, depth: 12, textBytes: UAFFinalChallenge.maximumCharacters, values: 4096)

  /// Reads a message: an array of exactly one response.
  ///
  /// Throws `messageMalformed`.
  public init(message: String) throws(UAFVerificationError) {
    guard message.utf8.count <= Self.maximumBytes, let json = try? JSONValue.parse(message, limits: Self.limits) else {
      throw UAFVerificationError(.messageMalformed, "the message is no JSON of its size")
    }
    try self.init(json: json)
  }

  /// Reads a message that is JSON already. Throws as `init(message:)`.
  public init(json: JSONValue) throws(UAFVerificationError) {
    guard let list = json.arrayValue, list.count == 1 else {
      throw UAFVerificationError(.messageMalformed, "the message is no list of one response")
    }
    let members = try UAFMembers(list[0])
    header = try UAFReceivedHeader(try members.members("header"))
    finalChallenge = try members.text("fcParams", 1...UAFFinalChallenge.maximumCharacters)
    var assertions: [Assertion] = []
    for element in try members.list("assertions", limit: Self.maximumAssertions) {
      let members = try UAFMembers(element)
      // What a registration tells of its display is not signed; the metadata statement counts.
      _ = try members.optionalList("tcDisplayPNGCharacteristics", limit: 64)
      assertions.append(
        Assertion(
          scheme: try members.text("assertionScheme", 1...32),
          bytes: try members.bytes("assertion", 1...UAFSignedFacts.maximumAssertionBytes),
          extensionsToUnderstand: try members.extensionsToUnderstand()))
    }
    self.assertions = assertions
  }
}
