import AuthenticatorCoding

/// Reads literals out of JavaScript without running it: the server's script, and the pieces of it that servers before
/// 7.1 put into metadata.
///
/// More is accepted than JavaScript: commas may be missing, as in the scripts of 6.5. Arrays of bytes come out as
/// arrays of numbers, `Uint8Array.from("…")` as its text.
struct ScriptReader {
  private static let maximumDepth = 16

  private let tokens: [ScriptToken]

  init(_ text: String) { tokens = ScriptToken.tokens(text) }

  /// The first literal that is given to a name (`name: …`, `name = …`); another name in its place is looked up, once.
  /// Nil: there is none.
  func value(of name: String) -> JSONValue? { value(of: name, followingNames: true) }

  private func value(of name: String, followingNames: Bool) -> JSONValue? {
    for index in tokens.indices.dropLast(2) where isName(tokens[index], name) {
      guard tokens[index + 1] == .mark(UInt8(ascii: ":")) || tokens[index + 1] == .mark(UInt8(ascii: "=")) else {
        continue
      }
      var parser = Parser(tokens: tokens, index: index + 2)
      if let value = parser.value() { return value }
      if followingNames, case .name(let other) = tokens[index + 2], other != name,
        let value = value(of: other, followingNames: false)
      {
        return value
      }
    }
    return nil
  }

  /// The whole text as values one after the other; nil when it is anything else.
  func values() -> [JSONValue]? {
    var parser = Parser(tokens: tokens, index: 0)
    var values: [JSONValue] = []
    while parser.index < tokens.count {
      guard let value = parser.value() else { return nil }
      values.append(value)
      parser.skipComma()
    }
    return values
  }

  private func isName(_ token: ScriptToken, _ name: String) -> Bool {
    switch token {
    case .name(let text), .string(let text): text == name
    default: false
    }
  }

  private struct Parser {
    let tokens: [ScriptToken]
    var index: Int
    private var depth = 0

    init(tokens: [ScriptToken], index: Int) {
      self.tokens = tokens
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
      guard isNext("(") else { return nil }
      index += 1
      guard let argument = value() else { return nil }
      var open = 1
      while open > 0, let token = next {
        if token == .mark(UInt8(ascii: "(")) { open += 1 }
        if token == .mark(UInt8(ascii: ")")) { open -= 1 }
        index += 1
      }
      guard open == 0 else { return nil }
      if isNext("."), tokens.indices.contains(index + 1), tokens[index + 1] == .name("buffer") { index += 2 }
      return argument
    }
  }
}
