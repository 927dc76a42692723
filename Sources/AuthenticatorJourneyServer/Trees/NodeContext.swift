public import AuthenticatorCoding
public import AuthenticatorCore

/// What a node sees of the journey it is part of.
public struct NodeContext: Sendable {
  /// The realm the journey runs in.
  public let realm: Realm
  /// The name of the tree.
  public let journey: String
  /// Users, devices, clocks and settings of the server.
  public let services: NodeServices
  /// The session the request came with, when it is a valid one.
  public let session: SessionRecord?
  /// The address the request came from; empty when it came from this process.
  public let peer: String
  /// Where the server is reached, such as `https://id.example.com/am`; the context path alone while that is not known.
  public let serverAddress: String
  /// The answers to what this node asked, one for each of its callbacks; nil when the journey has just reached it.
  public internal(set) var answers: [CallbackAnswer]?
  /// Whether the journey was parked at this node and a link has brought it back.
  public internal(set) var isResumed: Bool
  /// What the whole journey knows.
  public var state: NodeState
  /// This node's place in the tree.
  public internal(set) var nodeID: String

  /// What this node remembers, for as long as the journey lasts; a node that is reached again finds it.
  public var memory: JSONObject {
    get { state.memory[nodeID]?.objectValue ?? [:] }
    set { state.memory[nodeID] = newValue.isEmpty ? nil : .object(newValue) }
  }

  /// The server's time.
  public var now: UnixTime { services.environment.now() }

  /// The user named so far; nil when no name was given or nobody has it.
  public func user() async throws -> UserRecord? {
    guard let name = state.username else { return nil }
    return try await services.registry.user(named: name, in: realm)
  }

  /// `count` random bytes as standard base64, the form PingAM sends challenges in.
  public func makeChallenge(byteCount: Int = 32) throws -> String {
    Base64.encode(try services.environment.random(byteCount))
  }
}
