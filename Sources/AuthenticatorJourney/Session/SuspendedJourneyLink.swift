import AuthenticatorCore

/// A link that goes on with a parked journey, as the person got it (`JourneyNode.suspended`).
public struct SuspendedJourneyLink: Sendable {
  /// What the server knows the parked journey by: good for one use, and a secret until then.
  let suspendedID: String
  /// The realm that the link names, in the query (`realm=/alpha`) or as a path of the REST interface
  /// (`/json/realms/root/realms/alpha/authenticate`); nil: it names none.
  public let realm: JourneyRealm?

  /// Reads the link; which host it names does not matter.
  /// - Parameter link: at most 64 KiB.
  /// - Throws: `invalidRequest` when it has no `suspendedId` or several, or names a realm that is malformed.
  public init(_ link: String) throws {
    guard link.utf8.count <= 65_536, let mark = link.firstIndex(of: "?"),
      let id = Self.value("suspendedId", in: link[link.index(after: mark)...]), !id.isEmpty
    else {
      throw AuthenticatorError(.invalidRequest, stage: "journey.resume", reason: "the link has no single suspendedId")
    }
    suspendedID = id
    realm = try Self.realm(path: link[..<mark], query: link[link.index(after: mark)...])
  }

  private static func realm(path: Substring, query: Substring) throws -> JourneyRealm? {
    if let named = value("realm", in: query) { return try JourneyRealm(named) }
    guard let start = path.firstRange(of: "/json/realms/")?.upperBound,
      let end = path[start...].firstRange(of: "/authenticate")?.lowerBound,
      let names = PercentEncoding.decode(path[start..<end])
    else { return nil }
    return try JourneyRealm(names)
  }

  /// The decoded value of a parameter that is there once.
  private static func value(_ name: String, in query: Substring) -> String? {
    let values = query.prefix { $0 != "#" }.split(separator: "&").compactMap { item -> String? in
      let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, halves[0] == name else { return nil }
      return PercentEncoding.decode(halves[1])
    }
    return values.count == 1 ? values[0] : nil
  }
}
