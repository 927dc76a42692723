import AuthenticatorCoding
import AuthenticatorCore

/// A message as it arrives: a list with one entry for each protocol version, of which one will be answered.
struct UAFRequestEntries {
  /// The versions that are known here, best first; at least one.
  let versions: [UAFVersion]
  private let entries: [(version: UAFVersion, value: JSONValue)]

  /// Reads the versions; what stands in an entry is read when the entry is chosen.
  /// - Throws: `invalidMessage`, also when the known entries ask for different things; `unsupportedVersion` when no entry
  ///   is of a known version.
  init(_ text: String, versions known: [UAFVersion] = UAFVersion.supported) throws {
    var seen: [UAFVersion] = []
    var entries: [(version: UAFVersion, value: JSONValue)] = []
    for value in try Self.read(text) {
      let header = try MessageMembers(value["header"], "header")
      let version = try UAFVersion(header.object["upv"], "header.upv")
      guard !seen.contains(version) else { throw MessageMembers.error("message", "has a version twice") }
      seen.append(version)
      if known.contains(version) { entries.append((version, value)) }
    }
    guard let first = entries.first else {
      throw AuthenticatorError(.unsupportedVersion, stage: "uaf.message", reason: "no version is in common")
    }
    let operation = first.value["header"]?["op"]?.stringValue
    guard entries.dropFirst().allSatisfy({ $0.value["header"]?["op"]?.stringValue == operation }) else {
      throw MessageMembers.error("message", "asks for different things in different versions")
    }
    self.entries = entries
    versions = entries.map(\.version).sorted(by: >)
  }

  /// The entry of the highest version.
  /// - Throws: `invalidMessage`.
  func best() throws -> UAFRequest { try request(in: versions[0]) }

  /// The entry of one of `versions`.
  /// - Throws: `invalidMessage`.
  func request(in version: UAFVersion) throws -> UAFRequest {
    guard let entry = entries.first(where: { $0.version == version })?.value else {
      throw MessageMembers.error("message", "lacks the version")
    }
    return try UAFRequest(entry)
  }

  static func read(_ text: String) throws -> [JSONValue] {
    guard text.utf8.count <= UAFRequest.maximumBytes else { throw MessageMembers.error("message", "is too long") }
    let value: JSONValue
    do {
      value = try JSONValue.parse(text, limits: JSONLimits(bytes: UAFRequest.maximumBytes, depth: 16))
    } catch {
      throw AuthenticatorError(.invalidMessage, stage: "uaf.message", reason: "it is no JSON", underlying: error)
    }
    guard let entries = value.arrayValue, (1...16).contains(entries.count) else {
      throw MessageMembers.error("message", "is no list of messages")
    }
    return entries
  }
}
