import AuthenticatorCoding
import AuthenticatorCore

/// A message as it arrives: a list with one entry for each protocol version, of which one will be answered.
struct UAFRequestEntries {
  /// The entries of versions that are known here, best first; at least one.
  private let entries: [(version: UAFVersion, element: JSONElement)]

  /// Reads the versions; what stands in an entry is read when the entry is chosen.
  /// - Throws: `invalidMessage`, also when the known entries ask for different things; `unsupportedVersion` when no
  ///   entry is of a known version.
  init(_ text: String, versions known: [UAFVersion] = UAFVersion.supported) throws {
    var all: [(version: UAFVersion, element: JSONElement)] = []
    for element in try Self.read(text) {
      let header = try MessageMembers(element["header"], "header")
      let version = try UAFVersion(header.object["upv"], "header.upv")
      guard !all.contains(where: { $0.version == version }) else {
        throw MessageMembers.error("message", "has a version twice")
      }
      all.append((version, element))
    }
    if all.count > 1 { all.sort { $0.version > $1.version } }
    all.removeAll { !known.contains($0.version) }
    guard let first = all.first?.element else {
      throw AuthenticatorError(.unsupportedVersion, stage: "uaf.message", reason: "no version is in common")
    }
    guard all.count == 1 || all.allSatisfy({ Self.operation(of: $0.element) == Self.operation(of: first) }) else {
      throw MessageMembers.error("message", "asks for different things in different versions")
    }
    entries = all
  }

  private static func operation(of entry: JSONElement) -> String? { entry["header"]?["op"]?.stringValue }

  /// The versions that are known here, best first; at least one.
  var versions: [UAFVersion] { entries.map(\.version) }

  /// The entry of the highest version.
  /// - Throws: `invalidMessage`.
  func best() throws -> UAFRequest { try UAFRequest(entries[0].element) }

  /// The requests of all versions, best first, each read when its turn comes.
  func requests(_ policies: LastPolicy) -> some Sequence<() throws -> UAFRequest> {
    entries.lazy.map { entry in { try UAFRequest(entry.element, policies) } }
  }

  static func read(_ text: String) throws -> JSONElements {
    guard text.utf8.count <= UAFRequest.maximumBytes else { throw MessageMembers.error("message", "is too long") }
    let document: JSONDocument
    do {
      document = try JSONDocument(text, limits: JSONLimits(bytes: UAFRequest.maximumBytes, depth: 16))
    } catch {
      throw AuthenticatorError(.invalidMessage, stage: "uaf.message", reason: "it is no JSON", underlying: error)
    }
    guard let entries = document.root.elements, (1...16).contains(entries.count) else {
      throw MessageMembers.error("message", "is no list of messages")
    }
    return entries
  }
}
