public import AuthenticatorCoding

/// A version of the protocol.
public struct UAFProtocolVersion: Hashable, Sendable, Comparable {
  /// The first number.
  public let major: UInt16
  /// The second one.
  public let minor: UInt16

  /// Makes a version.
  public init(_ major: UInt16, _ minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  /// UAF 1.0.
  public static let uaf10 = UAFProtocolVersion(1, 0)
  /// UAF 1.1.
  public static let uaf11 = UAFProtocolVersion(1, 1)
  /// Those that are spoken here.
  public static let known: [UAFProtocolVersion] = [.uaf10, .uaf11]

  /// Reads `{"major", "minor"}`; nil for anything else.
  public init?(json: JSONValue) {
    guard let major = json["major"]?.intValue.flatMap({ UInt16(exactly: $0) }),
      let minor = json["minor"]?.intValue.flatMap({ UInt16(exactly: $0) })
    else { return nil }
    self.init(major, minor)
  }

  /// The version as a message has it.
  public var json: JSONValue { ["major": .integer(Int64(major)), "minor": .integer(Int64(minor))] }

  public static func < (left: UAFProtocolVersion, right: UAFProtocolVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}

/// What a message is about; confirming a transaction is an authentication too.
public enum UAFServerOperation: String, Hashable, Sendable, CaseIterable {
  /// A new key.
  case registration = "Reg"
  /// A signature by a key.
  case authentication = "Auth"
  /// Removal of keys. There is no response to it.
  case deregistration = "Dereg"
}
