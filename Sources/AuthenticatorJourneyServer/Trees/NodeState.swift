public import AuthenticatorCoding

/// What a journey knows so far. It travels encrypted in the step token; nothing of it is stored by the server.
public struct NodeState: Hashable, Sendable {
  /// Values any node may read and set.
  public var shared: JSONObject = [:]
  /// Values that are dropped when the journey ends or a node has used them, such as the password.
  public var transient: JSONObject = [:]
  /// What each node remembers for itself, by its place in the tree.
  public var memory: JSONObject = [:]

  /// Makes an empty state.
  public init() {}

  /// The name the person gave, or the device proved.
  public var username: String? {
    get { shared["username"]?.stringValue }
    set { shared["username"] = newValue.map(JSONValue.string) }
  }

  var json: JSONValue {
    var object: JSONObject = [:]
    if !shared.isEmpty { object["s"] = .object(shared) }
    if !transient.isEmpty { object["t"] = .object(transient) }
    if !memory.isEmpty { object["m"] = .object(memory) }
    return .object(object)
  }

  init?(json: JSONValue) {
    guard let object = json.objectValue else { return nil }
    shared = object["s"]?.objectValue ?? [:]
    transient = object["t"]?.objectValue ?? [:]
    memory = object["m"]?.objectValue ?? [:]
  }
}
