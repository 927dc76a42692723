/// What was written for one verb, taken apart: every option is known, given as often as it may be, and has its value.
struct Arguments: Sendable {
  private(set) var flags: Set<String> = []
  private(set) var values: [String: [String]] = [:]
  private(set) var operands: [String] = []

  /// Walks over the words after the verb. Options are `--name VALUE` or `--name=VALUE`; everything after `--` is an
  /// operand, and so is a word that begins with a dash but cannot be meant as an option, where one is still wanted.
  /// - Throws: a usage failure that names the word at fault.
  init(_ words: some Sequence<String>, for syntax: Syntax) throws {
    var words = Array(words)[...]
    var onlyOperands = false
    while let word = words.popFirst() {
      if onlyOperands || word == "-" || !word.hasPrefix("-") {
        operands.append(word)
      } else if word == "--" {
        onlyOperands = true
      } else if !Self.readsAsOption(word), operands.count < syntax.operands.count {
        operands.append(word)
      } else {
        try takeOption(word == "-h" ? "--help" : word, from: &words, of: syntax)
      }
    }
    guard !flags.contains("--help") else { return }
    if operands.count > syntax.operands.count {
      throw Failure.usage("unexpected argument '\(operands[syntax.operands.count])'", verb: syntax)
    }
    try checkStandardInput(syntax)
    let required = syntax.requiredOperands
    if operands.count < required.count { throw Failure.usage("\(required[operands.count]) is missing", verb: syntax) }
  }

  /// Standard input can be read once, and only by what reads a file from its beginning to its end.
  private func checkStandardInput(_ syntax: Syntax) throws {
    var reader: Option?
    for option in syntax.options {
      for value in all(option.name) where option.isDash(value) {
        guard option.readsInput else { throw Failure.usage("\(option.name) cannot be standard input", verb: syntax) }
        if let reader {
          let names =
            reader.name == option.name
            ? "\(option.name) cannot twice be" : "\(reader.name) and \(option.name) cannot both be"
          throw Failure.usage("\(names) standard input", verb: syntax)
        }
        reader = option
      }
    }
  }

  /// Whether a word that begins with a dash could be the name of an option: dashes and lower-case letters up to an
  /// equals sign, or a dash and one character. Identifiers in base64url begin with a dash once in 64 times, and go on
  /// with digits and capitals.
  private static func readsAsOption(_ word: String) -> Bool {
    let name = word.prefix { $0 != "=" }
    return name.count <= 2 || name.allSatisfy { $0 == "-" || ("a"..."z").contains($0) }
  }

  private mutating func takeOption(_ word: String, from words: inout ArraySlice<String>, of syntax: Syntax) throws {
    let equals = word.firstIndex(of: "=")
    let name = equals.map { String(word[..<$0]) } ?? word
    guard let option = syntax.option(named: name) else {
      throw Failure.usage("unknown option '\(name)'", verb: syntax)
    }
    switch option.kind {
    case .flag:
      guard equals == nil else { throw Failure.usage("\(name) takes no value", verb: syntax) }
      guard flags.insert(name).inserted else { throw Failure.usage("\(name) is given twice", verb: syntax) }
    case .value, .values:
      if case .value = option.kind, values[name] != nil {
        throw Failure.usage("\(name) is given twice", verb: syntax)
      }
      if let equals {
        values[name, default: []].append(String(word[word.index(after: equals)...]))
      } else if let value = words.first, !value.hasPrefix("--") || !Self.readsAsOption(value) {
        // An option where a value belongs is a forgotten value far more often than meant; `--name=--x` says it.
        words.removeFirst()
        values[name, default: []].append(value)
      } else {
        throw Failure.usage("\(name) needs a value", verb: syntax)
      }
    }
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  func value(_ option: String) -> String? { values[option]?.last }

  /// The value of an option that may be left out but not be empty.
  func text(_ option: String) throws -> String? {
    guard let value = value(option) else { return nil }
    guard !value.isEmpty else { throw Failure.usage("\(option) is empty") }
    return value
  }

  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// The values of an option that may be left out, none of them empty.
  func texts(_ option: String) throws -> [String] {
    let texts = all(option)
    guard texts.allSatisfy({ !$0.isEmpty }) else { throw Failure.usage("\(option) is empty") }
    return texts
  }

  /// Refuses options that say nothing without another one, rather than passing them over.
  func check(_ options: [Option], need other: String) throws {
    guard value(other) == nil else { return }
    for option in options where option.name != other && (has(option.name) || value(option.name) != nil) {
      throw Failure.usage("\(other) is missing; \(option.name) says nothing without it")
    }
  }

  /// The value of an option that must be there.
  func required(_ option: String) throws -> String {
    guard let value = try text(option) else { throw Failure.usage("\(option) is missing") }
    return value
  }

  /// A whole number within `range`; nil when the option is not given.
  func integer(_ option: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Failure.usage("\(option) wants a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
