import AuthenticatorCoding
import AuthenticatorCore

/// A message as app and client hand it to each other (FIDO UAF Application API, section "UAFMessage").
public struct UAFMessage: Hashable, Sendable {
  /// The protocol message, JSON text; empty in answer to a deregistration.
  public var uafProtocolMessage: String
  /// Whatever the transport adds; not looked at.
  public var additionalData: JSONObject?

  /// Wraps a protocol message.
  public init(_ uafProtocolMessage: String, additionalData: JSONObject? = nil) {
    self.uafProtocolMessage = uafProtocolMessage
    self.additionalData = additionalData
  }

  /// Reads what servers send: the wrapped form `{"uafProtocolMessage": …}`, the HTTP profile's `{"uafRequest": …}`, or
  /// the protocol message itself.
  /// - Throws: `invalidMessage`.
  public init(parsing text: String) throws {
    guard text.utf8.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") else {
      self.init(text)
      return
    }
    let value: JSONValue
    do { value = try JSONValue.parse(text) } catch {
      throw AuthenticatorError(.invalidMessage, stage: "uaf.message", reason: "it is no JSON", underlying: error)
    }
    guard let message = (value["uafProtocolMessage"] ?? value["uafRequest"])?.stringValue else {
      throw MessageMembers.error("message", "holds no protocol message")
    }
    self.init(message, additionalData: value["additionalData"]?.objectValue)
  }

  /// The wrapped form.
  public var json: JSONValue {
    var object = JSONObject([("uafProtocolMessage", .string(uafProtocolMessage))])
    if let additionalData { object["additionalData"] = .object(additionalData) }
    return .object(object)
  }
}
