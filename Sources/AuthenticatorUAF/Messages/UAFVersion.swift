import AuthenticatorCoding
import AuthenticatorCore

/// A version of the protocol.
public struct UAFVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Before the point.
  public var major: UInt16
  /// After the point.
  public var minor: UInt16

  /// Makes a version.
  public init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  /// UAF 1.0.
  public static let v10 = UAFVersion(major: 1, minor: 0)
  /// UAF 1.1.
  public static let v11 = UAFVersion(major: 1, minor: 1)
  /// What this client speaks, best first. UAF 1.2 is not among them: a message of that version alone is refused.
  public static let supported: [UAFVersion] = [.v11, .v10]

  init(_ element: JSONElement?, _ place: StaticString) throws {
    try self.init(try MessageMembers(element, place))
  }

  private init(_ members: MessageMembers) throws {
    major = try members.number("major")
    minor = try members.number("minor")
  }

  /// Reads the JSON form.
  /// - Throws: `invalidMessage`.
  public init(_ value: JSONValue) throws { try self.init(try MessageMembers(value, "upv")) }

  var json: JSONValue { ["major": .integer(Int64(major)), "minor": .integer(Int64(minor))] }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.name("major")
    writer.write(Int64(major))
    writer.name("minor")
    writer.write(Int64(minor))
    writer.endObject()
  }

  public var description: String { "\(major).\(minor)" }

  public static func < (left: UAFVersion, right: UAFVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}
