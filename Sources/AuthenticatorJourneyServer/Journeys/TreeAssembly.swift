internal import AuthenticatorCoding

/// Collects the steps of a tree and of the inner trees it uses.
struct TreeAssembly {
  private let exports: [String: TreeExport]
  private let factories: NodeFactories
  private let tree: String
  private(set) var steps: [TreeStep] = []
  private(set) var missing: [TreeImport.MissingNode] = []

  private static let maximumSteps = 10_000

  init(exports: [String: TreeExport], factories: NodeFactories, tree: String) {
    self.exports = exports
    self.factories = factories
    self.tree = tree
  }

  /// Adds the steps of an export under a prefix; its ends lead to the given places. Returns where it begins.
  mutating func add(
    _ export: TreeExport, prefix: String, success: TreeDestination, failure: TreeDestination, inside: [String]
  ) throws(JourneyTreeError) -> TreeDestination {
    func destination(_ id: String) -> TreeDestination {
      switch id {
      case TreeImport.successID: success
      case TreeImport.failureID: failure
      default: .step(prefix + id)
      }
    }
    for member in export.nodes {
      guard steps.count < Self.maximumSteps else {
        throw JourneyTreeError(tree: tree, .malformedExport("too many nodes"))
      }
      guard let type = member.value["nodeType"]?.stringValue else {
        throw JourneyTreeError(tree: tree, .malformedExport("\(member.name) has no nodeType"))
      }
      var connections: [(outcome: String, destination: TreeDestination)] = []
      for connection in member.value["connections"]?.objectValue ?? [:] {
        guard let target = connection.value.stringValue else {
          throw JourneyTreeError(tree: tree, .malformedExport("a connection of \(member.name) is no text"))
        }
        // An outcome that was never connected is exported as an empty text, or not at all.
        connections.append((connection.name, target.isEmpty ? failure : destination(target)))
      }
      let id = prefix + member.name
      if type == TreeImport.innerTreeType {
        try addInnerTree(member.name, of: export, id: id, connections, failure: failure, inside: inside)
      } else {
        let node = try makeNode(type, member.name, of: export, id: id, wired: connections.map(\.outcome))
        steps.append(Self.wire(TreeStep(id, node), connections).otherwise(failure))
      }
    }
    return destination(export.entry)
  }

  private mutating func addInnerTree(
    _ nodeID: String, of export: TreeExport, id: String,
    _ connections: [(outcome: String, destination: TreeDestination)], failure: TreeDestination, inside: [String]
  ) throws(JourneyTreeError) {
    guard let name = export.settings[nodeID]?["tree"]?.stringValue, let inner = exports[name] else {
      missing.append(TreeImport.MissingNode(step: id, type: TreeImport.innerTreeType))
      let outcomes = connections.map { NodeOutcome(rawValue: $0.outcome) }
      let node = UnimplementedNode(type: TreeImport.innerTreeType, outcomes: outcomes)
      steps.append(Self.wire(TreeStep(id, node), connections))
      return
    }
    guard !inside.contains(name), inside.count < 8 else {
      throw JourneyTreeError(tree: tree, .malformedExport("\(name) contains itself"))
    }
    let ends = Dictionary(connections.map { ($0.outcome, $0.destination) }) { first, _ in first }
    let entry = try add(
      inner, prefix: id + "/", success: ends["true"] ?? failure, failure: ends["false"] ?? failure,
      inside: inside + [name])
    // The node's own id stays an address that others lead to.
    steps.append(TreeStep(id, PassageNode()).next(entry))
  }

  private mutating func makeNode(
    _ type: String, _ nodeID: String, of export: TreeExport, id: String, wired: [String]
  ) throws(JourneyTreeError) -> any TreeNode {
    let (factories, tree) = (factories, tree)
    let unknown = UnknownTypes()
    func build(
      _ type: String, _ nodeID: String, _ id: String, wired: [String], isChild: Bool
    ) throws(JourneyTreeError) -> any TreeNode {
      let settings = NodeSettings(
        values: export.settings[nodeID]?.objectValue ?? [:], tree: tree, step: id, wiredOutcomes: wired
      ) { reference throws(JourneyTreeError) in
        guard !isChild, let child = reference["_id"]?.stringValue, let type = reference["nodeType"]?.stringValue else {
          throw JourneyTreeError(tree: tree, .invalidSetting(step: id, setting: "nodes"))
        }
        return try build(type, child, "\(id)/\(child)", wired: wired, isChild: true)
      }
      if let node = try factories[type]?(settings) { return node }
      unknown.found.append(TreeImport.MissingNode(step: id, type: type))
      return UnimplementedNode(type: type, outcomes: wired.map(NodeOutcome.init(rawValue:)))
    }
    let node = try build(type, nodeID, id, wired: wired, isChild: false)
    missing += unknown.found
    return node
  }

  /// Wires what the node can end with; names are compared without regard to case and spaces, and connections of
  /// outcomes that never happen are left out.
  private static func wire(
    _ step: TreeStep, _ connections: [(outcome: String, destination: TreeDestination)]
  ) -> TreeStep {
    func key(_ text: String) -> String { text.lowercased().filter { $0 != " " && $0 != "_" } }
    return step.node.outcomes.reduce(step) { step, outcome in
      guard step.destinations[outcome] == nil else { return step }
      let exact = connections.first { $0.outcome == outcome.rawValue }
      let connection = exact ?? connections.first { key($0.outcome) == key(outcome.rawValue) }
      return connection.map { step.on(outcome, to: $0.destination) } ?? step
    }
  }
}

/// What one node and its children lacked.
private final class UnknownTypes {
  var found: [TreeImport.MissingNode] = []
}

/// Leads on at once.
struct PassageNode: TreeNode {
  static let nodeType = ""
  let outcomes: [NodeOutcome] = [.outcome]

  func process(_ context: inout NodeContext) async throws -> NodeResult { .done(.outcome) }
}
