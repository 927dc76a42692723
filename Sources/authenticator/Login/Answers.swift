/// The answers given on the command line: each is used once, in the order given.
struct Answers: Sendable {
  private struct Answer: Sendable {
    /// `NameCallback` or `NameCallback#2`; for a hidden value all of `hidden:ID=VALUE`.
    var key: String
    var value: String
  }

  private var unused: [Answer]
  private let types: Set<String>

  private static let hidden = "hidden:"

  /// Takes `KEY=VALUE` texts; the value begins after the first equals sign and may be empty.
  init(_ texts: [String]) throws {
    unused = try texts.map { text in
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
        throw Failure.usage("--answer wants KEY=VALUE")
      }
      // The id of a hidden value may hold both marks; only the callback knows where it ends.
      guard !text.hasPrefix(Self.hidden) else { return Answer(key: text, value: "") }
      let key = String(text[..<equals])
      if let number = key.firstIndex(of: "#") {
        guard let place = Int(key[key.index(after: number)...]), place > 0, number > key.startIndex else {
          throw Failure.usage("--answer \(key) names no place; write TYPE#2 for the second of its type in a node")
        }
      }
      return Answer(key: key, value: String(text[text.index(after: equals)...]))
    }
    types = Set(unused.map { String($0.key.prefix { $0 != "#" }) })
  }

  /// Uses up the answer for a callback: one that names its place in the node, or else the first for its type.
  /// - Parameters:
  ///   - type: the callback's wire name.
  ///   - place: 1 for the first of its type in the node.
  ///   - hiddenID: the id of a hidden value.
  mutating func take(_ type: String, place: Int, hiddenID: String? = nil) -> String? {
    if let hiddenID {
      let beginning = "\(Self.hidden)\(hiddenID)="
      if let index = unused.firstIndex(where: { $0.key.hasPrefix(beginning) }) {
        return String(unused.remove(at: index).key.dropFirst(beginning.count))
      }
    }
    for key in ["\(type)#\(place)", type] {
      if let index = unused.firstIndex(where: { $0.key == key }) { return unused.remove(at: index).value }
    }
    return nil
  }

  /// Whether there was an answer for callbacks of this type, used or not.
  func named(_ type: String) -> Bool { types.contains(type) }

  /// The keys of the answers that nothing asked for.
  var unusedKeys: [String] {
    unused.map { $0.key.hasPrefix(Self.hidden) ? String($0.key.prefix { $0 != "=" }) : $0.key }
  }
}
