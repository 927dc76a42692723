/// Why the registry could not do what was asked.
public struct RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kept it from being done.
  public enum Code: String, Hashable, Sendable {
    /// A name or id is taken.
    case conflict
    /// A table has as many rows as allowed.
    case full
    /// The file is no registry.
    case notARegistry
    /// The file was written by a newer version and was not touched.
    case newer
    /// The file is damaged or its schema is not the expected one.
    case damaged
    /// Another process held it for too long.
    case busy
    /// The disk or the database library failed.
    case failed
  }

  /// What kept it from being done.
  public let code: Code
  /// What failed, for a developer; holds no stored data.
  public let reason: String
  /// SQLite's extended result code, when it was SQLite.
  public let libraryCode: Int32?

  /// Makes an error; pass no stored data in the reason.
  public init(_ code: Code, _ reason: String = "", libraryCode: Int32? = nil) {
    self.code = code
    self.reason = reason
    self.libraryCode = libraryCode
  }

  public var description: String {
    "registry: \(code.rawValue)" + (reason.isEmpty ? "" : ": \(reason)")
      + (libraryCode.map { " (SQLite \($0))" } ?? "")
  }

  public static func == (left: RegistryError, right: RegistryError) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
