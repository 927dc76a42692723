import AuthenticatorCoding
import AuthenticatorCore

/// A message as it arrives: a list with one entry for each protocol version, of which one will be answered.
struct UAFRequestEntries {
  /// The versions that are known here, best first; at least one.
  let versions: [UAFVersion]
  private let entries: [UAFVersion: JSONValue]

  /// Reads the versions; what stands in an entry is read when the entry is chosen.
  /// - Throws: `invalidMessage`, also when the known entries ask for different things; `unsupportedVersion` when no entry
  ///   is of a known version.
  init(_ text: String, versions known: [UAFVersion] = UAFVersion.supported) throws {
    var entries: [UAFVersion: JSONValue] = [:]
    var seen: Set<UAFVersion> = []
    for entry in try Self.read(text) {
      let header = try MessageMembers(entry["header"], "header")
      let version = try UAFVersion(header.object["upv"], "header.upv")
      guard seen.insert(version).inserted else { throw MessageMembers.error("message", "has a version twice") }
      if known.contains(version) { entries[version] = entry }
    }
    guard !entries.isEmpty else {
      throw AuthenticatorError(.unsupportedVersion, stage: "uaf.message", reason: "no version is in common")
    }
    guard Set(entries.values.map { $0["header"]?["op"]?.stringValue }).count == 1 else {
      throw MessageMembers.error("message", "asks for different things in different versions")
    }
    self.entries = entries
    versions = entries.keys.sorted(by: >)
  }

  /// The entry of the highest version.
  /// - Throws: `invalidMessage`.
  func best() throws -> UAFRequest { try request(in: versions[0]) }

  /// The entry of one of `versions`.
  /// - Throws: `invalidMessage`.
  func request(in version: UAFVersion) throws -> UAFRequest {
    guard let entry = entries[version] else { throw MessageMembers.error("message", "lacks the version") }
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
