import AuthenticatorCore

/// A realm of the server, by its path: `/` is the root, `/alpha` a child of it, `/a/b` a grandchild.
public struct JourneyRealm: Hashable, Sendable, CustomStringConvertible {
  /// The names from the root downwards; empty for the root itself.
  public let names: [String]

  /// The root realm.
  public static let root = JourneyRealm(names: [])

  private init(names: [String]) { self.names = names }

  /// Reads `/`, `root`, `alpha`, `/alpha`, `/a/b`, and the written-out form `root/realms/a/realms/b`.
  /// - Throws: `invalidRequest` for control characters and for the names `.` and `..`.
  public init(_ text: String) throws {
    var parts = text.split(separator: "/").map(String.init)
    let isWrittenOut =
      parts.count >= 3 && parts.count % 2 == 1 && parts[0] == "root"
      && stride(from: 1, to: parts.count, by: 2).allSatisfy { parts[$0] == "realms" }
    if isWrittenOut {
      parts = stride(from: 2, to: parts.count, by: 2).map { parts[$0] }
    } else if parts.first == "root" {
      parts.removeFirst()
    }
    guard parts.count <= 32, text.utf8.count <= 1024,
      parts.allSatisfy({ part in part != "." && part != ".." && part.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
    else {
      throw AuthenticatorError(.invalidRequest, stage: "realm", reason: "the realm path is malformed")
    }
    names = parts
  }

  /// `/`, `/alpha`, `/a/b`: the form that keys, sessions and the tool show.
  public var description: String { "/" + names.joined(separator: "/") }

  /// What follows `/json/realms/` in the server's addresses: `root`, `root/realms/alpha`.
  package var urlPath: String {
    (["root"] + names.map(PercentEncoding.encode)).joined(separator: "/realms/")
  }
}
