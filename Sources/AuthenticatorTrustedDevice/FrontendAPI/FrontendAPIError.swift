import AuthenticatorCoding
import AuthenticatorCore

/// A refusal of the Frontend API, as received: the `serverError` of a `TrustedDeviceFailure`.
public struct FrontendAPIError: Error, Hashable, Sendable {
  /// One of possibly several things that are wrong.
  public struct Item: Hashable, Sendable {
    /// The server's word for it.
    public let code: String
    /// The server's short text.
    public let message: String
    /// The server's text for the person.
    public let longMessage: String
    /// The form member it is about; nil when it is about none.
    public let parameterName: String?
  }

  /// The HTTP status.
  public let status: Int
  /// What is wrong; empty when the server did not say in its usual form.
  public let errors: [Item]
  /// The server's name of the request, for its support.
  public let traceID: String?

  /// Reads the body of an answer with status 400 or above; a body in no known form gives no items.
  public init(status: Int, body: [UInt8]) {
    let object: JSONObject?
    do { object = try JSONValue.parse(body, limits: JSONLimits(bytes: 1 << 18, depth: 16)).objectValue } catch {
      object = nil
    }
    self.status = status
    errors = (object?["errors"]?.arrayValue ?? []).prefix(32).compactMap { value in
      guard let code = value["code"]?.stringValue, code.utf8.count <= 256 else { return nil }
      let message = value["message"]?.stringValue ?? ""
      return Item(
        code: code, message: message, longMessage: value["long_message"]?.stringValue ?? message,
        parameterName: value["meta"]?["param_name"]?.stringValue)
    }
    traceID = object?["clerk_trace_id"]?.stringValue
  }

  /// Whether any of its items has this code.
  public func has(_ code: String) -> Bool { errors.contains { $0.code == code } }

  /// Whether the server says that a credential named in the request does not exist: a code and the member together, in
  /// any of the items. A server that failed says nothing of the kind, whatever stands in its answer.
  public var isCredentialMissing: Bool {
    isDefinite && status != 429
      && errors.contains {
        ($0.code == "trusted_device_not_registered" || $0.code == "form_resource_not_found")
          && $0.parameterName == "trusted_device_id"
      }
  }
}

extension FrontendAPIError: CustomStringConvertible, CustomReflectable {
  /// Status, codes and the members they are about; the texts may quote what the person typed.
  public var description: String {
    "HTTP \(status)" + (errors.isEmpty ? "" : ": " + errors.map(Self.text).joined(separator: ", "))
  }

  private static func text(_ item: Item) -> String {
    // A member's name is a short word of the form's; anything else is not repeated.
    guard let name = item.parameterName, (1...64).contains(name.utf8.count),
      name.utf8.allSatisfy({ $0 == 0x5F || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) })
    else { return item.code }
    return "\(item.code) (\(name))"
  }

  public var customMirror: Mirror {
    Mirror(self, children: ["status": status, "codes": errors.map(\.code)])
  }
}
