import AuthenticatorCoding

/// Reads literals out of JavaScript without running it: the server's script, and the pieces of it that servers before
/// 7.1 put into metadata.
///
/// More is accepted than JavaScript: commas may be missing, as in the scripts of 6.5. Arrays of bytes come out as
/// arrays of numbers, `Uint8Array.from("…")` as its text.
struct ScriptReader {
  private static let maximumDepth = 16

  private let tokens: [ScriptToken]
  /// Where literals are given to names: the places after the colon or equals sign.
  private let assignments: [String: [Int]]
  /// For every open parenthesis the place of the one that closes it.
  private let closings: [Int: Int]

  /// Takes a text apart. The work, here and in what follows, grows with the length of the text only: what a server
  /// sends is no reason to be busy for minutes.
  init(_ text: String) {
    tokens = ScriptToken.tokens(text)
    var assignments: [String: [Int]] = [:]
    var closings: [Int: Int] = [:]
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      switch token {
      case .name(let name), .string(let name):
        guard index + 2 < tokens.count, [Self.colon, Self.equals].contains(tokens[index + 1]) else { continue }
        assignments[name, default: []].append(index + 2)
      case .mark(UInt8(ascii: "(")): open.append(index)
      case .mark(UInt8(ascii: ")")): if let start = open.popLast() { closings[start] = index }
      default: continue
      }
    }
    self.assignments = assignments
    self.closings = closings
  }

  private static let colon = ScriptToken.mark(UInt8(ascii: ":"))
  private static let equals = ScriptToken.mark(UInt8(ascii: "="))

  /// The first literal that is given to a name (`name: …`, `name = …`); another name in its place is looked up, once.
  /// Nil: there is none.
  func value(of name: String) -> JSONValue? {
    var looked: Set<String> = [name]
    for index in assignments[name] ?? [] {
      if let value = literal(at: index) { return value }
      // A name that led nowhere leads nowhere again.
      if case .name(let other) = tokens[index], looked.insert(other).inserted,
        let value = firstLiteral(givenTo: other)
      {
        return value
      }
    }
    return nil
  }

  private func firstLiteral(givenTo name: String) -> JSONValue? {
    for index in assignments[name] ?? [] { if let value = literal(at: index) { return value } }
    return nil
  }

  private func literal(at index: Int) -> JSONValue? {
    var parser = Parser(tokens: tokens, closings: closings, index: index)
    return parser.value()
  }

  /// The whole text as values one after the other; nil when it is anything else.
  func values() -> [JSONValue]? {
    var parser = Parser(tokens: tokens, closings: closings, index: 0)
    var values: [JSONValue] = []
    while parser.index < tokens.count {
      guard let value = parser.value() else { return nil }
      values.append(value)
      parser.skipComma()
    }
    return values
  }

  private struct Parser {
    let tokens: [ScriptToken]
    let closings: [Int: Int]
    var index: Int
    private var depth = 0

    init(tokens: [ScriptToken], closings: [Int: Int], index: Int) {
      self.tokens = tokens
      self.closings = closings
      self.index = index
    }

    private var next: ScriptToken? { tokens.indices.contains(index) ? tokens[index] : nil }

    private func isNext(_ mark: Character) -> Bool { next == mark.asciiValue.map(ScriptToken.mark) }

    mutating func skipComma() { if isNext(",") { index += 1 } }

    /// Nil for what is no literal.
    mutating func value() -> JSONValue? {
      guard depth < ScriptReader.maximumDepth, let token = next else { return nil }
      depth += 1
      defer { depth -= 1 }
      index += 1
      switch token {
      case .string(let text): return .string(text)
      case .number(let number): return number
      case .mark(UInt8(ascii: "[")): return array()
      case .mark(UInt8(ascii: "{")): return object()
      case .mark: return nil
      case .name("true"): return true
      case .name("false"): return false
      case .name("null"), .name("undefined"): return .null
      case .name("new"):
        guard case .name(let type) = next else { return nil }
        index += 1
        return bytes(type)
      case .name(let name): return bytes(name)
      }
    }

    private mutating func array() -> JSONValue? {
      var elements: [JSONValue] = []
      while !isNext("]") {
        guard let element = value() else { return nil }
        elements.append(element)
        skipComma()
      }
      index += 1
      return .array(elements)
    }

    private mutating func object() -> JSONValue? {
      var object = JSONObject()
      while !isNext("}") {
        let name: String
        switch next {
        case .name(let text), .string(let text): name = text
        default: return nil
        }
        index += 1
        guard isNext(":") else { return nil }
        index += 1
        guard let value = value() else { return nil }
        object[name] = value
        skipComma()
      }
      index += 1
      return .object(object)
    }

    /// `Int8Array([…]).buffer`, `Uint8Array.from("…", function (c) { … })`: the first argument.
    private mutating func bytes(_ type: String) -> JSONValue? {
      guard type == "Int8Array" || type == "Uint8Array" else { return nil }
      if isNext("."), tokens.indices.contains(index + 1), tokens[index + 1] == .name("from") { index += 2 }
      guard isNext("("), let end = closings[index] else { return nil }
      index += 1
      guard let argument = value(), index <= end else { return nil }
      index = end + 1
      if isNext("."), tokens.indices.contains(index + 1), tokens[index + 1] == .name("buffer") { index += 2 }
      return argument
    }
  }
}
