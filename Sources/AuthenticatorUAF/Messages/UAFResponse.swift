import AuthenticatorCoding
import AuthenticatorCore

/// A response to a registration or an authentication: header, final challenge parameters and assertions.
public struct UAFResponse: Hashable, Sendable {
  /// The request's header.
  public var header: OperationHeader
  /// The final challenge parameters: the text that was hashed.
  public var fcParams: String
  /// One for each authenticator of the chosen set.
  public var assertions: [Assertion]

  /// What one authenticator answered.
  public struct Assertion: Hashable, Sendable {
    /// The scheme, `UAFV1TLV`.
    public var assertionScheme: String
    /// The assertion's bytes.
    public var assertion: [UInt8]
    /// Pictures the authenticator can show; in registrations only.
    public var tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics]

    init(
      assertionScheme: String = UAFAuthenticatorModel.assertionScheme, assertion: [UInt8],
      tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics] = []
    ) {
      self.assertionScheme = assertionScheme
      self.assertion = assertion
      self.tcDisplayPNGCharacteristics = tcDisplayPNGCharacteristics
    }
  }

  init(header: OperationHeader, fcParams: String, assertions: [Assertion]) {
    self.header = header
    self.fcParams = fcParams
    self.assertions = assertions
  }

  /// Reads a response as `message` writes it.
  /// - Throws: `invalidMessage`.
  public init(_ text: String) throws {
    let entries = try UAFRequestEntries.read(text)
    guard entries.count == 1 else { throw MessageMembers.error("message", "is no single response") }
    let members = try MessageMembers(entries.first { _ in true }, "message")
    header = try OperationHeader(members.object["header"])
    guard header.op != .deregistration else { throw MessageMembers.error("header.op", "is of no response") }
    fcParams = try members.text("fcParams", 1...131_072)
    assertions = try members.list("assertions", maximum: 64).map { entry in
      let one = try MessageMembers(entry, "assertions")
      return Assertion(
        assertionScheme: try one.text("assertionScheme", 1...64), assertion: try one.bytes("assertion", 1...4096),
        tcDisplayPNGCharacteristics: try one.optionalList("tcDisplayPNGCharacteristics", maximum: 64)?
          .map { try DisplayPNGCharacteristics($0) } ?? [])
    }
  }

  /// Who called, as the final challenge parameters tell.
  /// - Throws: `invalidMessage`.
  public func facetID() throws -> String {
    guard let bytes = try? Base64URL.decode(fcParams), let parameters = try? JSONValue.parse(bytes) else {
      throw MessageMembers.error("fcParams", "is malformed")
    }
    return try MessageMembers(parameters, "fcParams").text("facetID", 1...512)
  }

  /// The message's text.
  public var message: String {
    var writer = JSONWriter(
      capacity: assertions.reduce(512 + fcParams.utf8.count + (header.serverData?.utf8.count ?? 0)) { sum, one in
        sum + 64 + one.assertion.count * 4 / 3
      })
    writer.beginArray()
    writer.beginObject()
    writer.name("header")
    header.write(to: &writer)
    writer.name("fcParams")
    writer.write(fcParams)
    writer.name("assertions")
    writer.beginArray()
    for one in assertions { one.write(to: &writer) }
    writer.endArray()
    writer.endObject()
    writer.endArray()
    return writer.text
  }
}

extension UAFResponse.Assertion {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.name("assertionScheme")
    writer.write(assertionScheme)
    writer.name("assertion")
    writer.write(base64URL: assertion)
    if !tcDisplayPNGCharacteristics.isEmpty {
      writer.name("tcDisplayPNGCharacteristics")
      writer.write(.array(tcDisplayPNGCharacteristics.map(\.json)))
    }
    writer.endObject()
  }
}
