internal import AuthenticatorCoding

/// Reads trees from the JSON that PingAM's administrators export.
///
/// Understood are one tree (`{"tree": …, "nodes": …, "innerNodes": …}`), several (`{"trees": {NAME: …}}`) and the bare
/// object of the REST interface (`{"_id", "entryNodeId", "nodes"}`), whose nodes then have default settings. Inner
/// trees are put in place. Node types that are not known are listed, and end the journey with status 501 when reached.
public struct TreeImport: Sendable {
  /// A tree, and what it asks for that is not there.
  public struct ImportedTree: Sendable {
    /// The tree, ready to run.
    public let tree: JourneyTree
    /// Node types that are not implemented, by the steps that use them; sorted.
    public let missing: [MissingNode]
  }

  /// A step whose node type is not implemented.
  public struct MissingNode: Hashable, Sendable, CustomStringConvertible {
    /// The step's id.
    public let step: String
    /// The node type as the export writes it.
    public let type: String
    public var description: String { "\(type) (\(step))" }
  }

  /// The well-known ids of the two ends.
  static let successID = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
  static let failureID = "e301438c-0bd0-429c-ab0c-66126501069a"
  static let innerTreeType = "InnerTreeEvaluatorNode"
  /// The longest file, in bytes.
  public static let maximumBytes = 8 << 20

  /// Makes nodes by their type.
  public var factories: NodeFactories

  /// Reads with these node types.
  public init(factories: NodeFactories = .standard) { self.factories = factories }

  /// Reads files that belong together: an inner tree may stand in another file. `name` is the file's name without
  /// extension, for trees that do not say theirs.
  ///
  /// Throws `JourneyTreeError` for the first file or tree that cannot be read.
  public func read(_ files: [(name: String, content: [UInt8])]) throws(JourneyTreeError) -> [ImportedTree] {
    var exports: [String: TreeExport] = [:]
    var names: [String] = []
    for file in files {
      for export in try TreeExport.all(in: file.content, fileName: file.name) {
        guard exports.updateValue(export, forKey: export.name) == nil else {
          throw JourneyTreeError(tree: export.name, .malformedExport("two trees have this name"))
        }
        names.append(export.name)
      }
    }
    var imported: [ImportedTree] = []
    for name in names {
      guard let export = exports[name] else { continue }
      var assembly = TreeAssembly(exports: exports, factories: factories, tree: name)
      let entry = try assembly.add(export, prefix: "", success: .success, failure: .failure, inside: [name])
      imported.append(
        ImportedTree(
          tree: try JourneyTree(name: name, entry: entry, steps: assembly.steps),
          missing: assembly.missing.sorted { ($0.type, $0.step) < ($1.type, $1.step) }))
    }
    return imported
  }
}

/// One tree of an export, taken apart.
struct TreeExport: Sendable {
  let name: String
  let entry: String
  /// By id: type, connections.
  let nodes: JSONObject
  /// Settings by id, those of page children included.
  let settings: JSONObject

  static func all(in content: [UInt8], fileName: String) throws(JourneyTreeError) -> [TreeExport] {
    guard content.count <= TreeImport.maximumBytes else {
      throw JourneyTreeError(tree: fileName, .malformedExport("the file is too large"))
    }
    let limits = JSONLimits(bytes: TreeImport.maximumBytes, depth: 64, textBytes: 1 << 20, values: 1 << 20)
    guard let file = (try? JSONValue.parse(content, limits: limits))?.objectValue else {
      throw JourneyTreeError(tree: fileName, .malformedExport("not a JSON object"))
    }
    guard let trees = file["trees"] else { return [try one(file, name: fileName)] }
    guard let trees = trees.objectValue else {
      throw JourneyTreeError(tree: fileName, .malformedExport("trees is no object"))
    }
    var exports: [TreeExport] = []
    for member in trees {
      guard let tree = member.value.objectValue else {
        throw JourneyTreeError(tree: member.name, .malformedExport("not an object"))
      }
      exports.append(try one(tree, name: member.name))
    }
    return exports
  }

  private static func one(_ object: JSONObject, name fallback: String) throws(JourneyTreeError) -> TreeExport {
    let tree = object["tree"]?.objectValue ?? object
    let name = tree["_id"]?.stringValue ?? fallback
    guard let entry = tree["entryNodeId"]?.stringValue else {
      throw JourneyTreeError(tree: name, .malformedExport("entryNodeId is missing"))
    }
    guard let nodes = tree["nodes"]?.objectValue else {
      throw JourneyTreeError(tree: name, .malformedExport("nodes is missing"))
    }
    var settings: JSONObject = [:]
    if object["tree"] != nil {
      for part in ["nodes", "innerNodes"] {
        for member in object[part]?.objectValue ?? [:] { settings[member.name] = member.value }
      }
    }
    return TreeExport(name: name, entry: entry, nodes: nodes, settings: settings)
  }
}
