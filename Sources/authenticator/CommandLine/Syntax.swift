/// What may be written after the tool's name for one verb.
struct Syntax: Sendable {
  /// `["keys", "list"]`.
  let words: [String]
  /// One sentence for the overview.
  let summary: String
  /// The operands in order, as the help calls them: required ones as `TAG`, then optional ones as `[TAG]`.
  let operands: [String]
  let options: [Option]
  /// Paragraphs at the end of the verb's help.
  let notes: [String]

  init(_ words: String..., summary: String, operands: [String] = [], options: [Option], notes: [String] = []) {
    self.words = words
    self.summary = summary
    self.operands = operands
    self.options = options
    self.notes = notes
  }

  var requiredOperands: ArraySlice<String> { operands.prefix { !$0.hasPrefix("[") } }

  var name: String { words.joined(separator: " ") }

  func option(named name: String) -> Option? {
    options.first { $0.name == name } ?? Option.general.first { $0.name == name }
  }
}
