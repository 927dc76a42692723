public import AuthenticatorCoding

/// Something beyond the standard that a request asks for in its header (UAF Protocol 1.1 section 3.1.2, "Extension").
public struct UAFRequestedExtension: Hashable, Sendable {
  /// Its registered name: 1 to 32 characters.
  public var id: String
  /// What it says, in the form of its definition: at most 8,192 characters.
  public var data: String
  /// Whether a client or an authenticator that does not know it must refuse.
  public var failIfUnknown: Bool

  /// Makes an extension.
  public init(id: String, data: String = "", failIfUnknown: Bool = false) {
    self.id = id
    self.data = data
    self.failIfUnknown = failIfUnknown
  }

  /// Asks authenticators to report how they verified the person; those that cannot do as if nobody had asked.
  public static let userVerificationMethod = UAFRequestedExtension(id: UAFExtensionID.userVerificationMethod)

  /// Reads `{"id", "data", "fail_if_unknown"}`; nil for anything that clients would take for malformed.
  public init?(json: JSONValue) {
    guard let id = json["id"]?.stringValue, let data = json["data"]?.stringValue,
      let failIfUnknown = json["fail_if_unknown"]?.boolValue
    else { return nil }
    self.init(id: id, data: data, failIfUnknown: failIfUnknown)
    guard isInBounds, json.objectValue?.contains(where: \.value.isNull) == false else { return nil }
  }

  /// Whether clients read an extension of these lengths.
  var isInBounds: Bool { (1...32).contains(id.unicodeScalars.count) && data.unicodeScalars.count <= 8192 }

  /// The extension as a message has it.
  public var json: JSONValue {
    ["id": .string(id), "data": .string(data), "fail_if_unknown": .bool(failIfUnknown)]
  }
}
