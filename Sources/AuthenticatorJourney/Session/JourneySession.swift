/// What a finished journey left: a session, or, for a flow without one, just its addresses.
public struct JourneySession: Hashable, Sendable {
  /// The session token; empty when none was sent. A secret: whoever has it is signed in.
  public let tokenID: String
  /// Where the server wants a browser to go.
  public let successURL: String
  /// The realm as the server names it; empty when it did not.
  public let realm: String

  /// Makes a session; storages and tests do.
  public init(tokenID: String, successURL: String = "", realm: String = "") {
    self.tokenID = tokenID
    self.successURL = successURL
    self.realm = realm
  }

  /// Whether there is a session: only then was it stored.
  public var hasToken: Bool { !tokenID.isEmpty }
}

extension JourneySession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "JourneySession(realm: \(realm), hasToken: \(hasToken))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["realm": realm, "hasToken": hasToken]) }
}
