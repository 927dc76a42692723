/// The help texts, all made from the verbs' tables.
enum Help {
  static let version = "0.1.0"

  /// `authenticator --help`.
  static func overview(of verbs: [any Verb.Type]) -> String {
    var lines = [
      "authenticator — sign in with the device in front of you", "",
      "usage: authenticator VERB [OPTION]…", "", "verbs:",
    ]
    lines += columns(verbs.map { ($0.syntax.name, $0.syntax.summary) })
    lines += [
      "", "'authenticator help VERB' tells a verb's options, 'authenticator --version' the version.",
      "Data goes to standard output, diagnostics to standard error.",
      "Exit status: 0 success, 1 refused or failed, 2 usage, 3 input or environment unusable.",
    ]
    return lines.joined(separator: "\n")
  }

  /// `authenticator help VERB`.
  static func verb(_ syntax: Syntax) -> String {
    let operands = syntax.operands.map { " " + $0 }.joined()
    var lines = [
      "authenticator \(syntax.name) — \(syntax.summary)", "",
      "usage: authenticator \(syntax.name)\(operands) [OPTION]…", "", "options:",
    ]
    lines += columns((syntax.options + Option.general).map { ($0.usage, $0.help) })
    let readers = syntax.options.filter(\.readsInput).map(\.name)
    if readers.count > 1 {
      lines += ["", "One FILE of these may be -, standard input: \(readers.joined(separator: ", "))."]
    }
    for note in syntax.notes { lines += ["", note] }
    return lines.joined(separator: "\n")
  }

  /// Several verbs that share their first words.
  static func group(_ verbs: [any Verb.Type]) -> String {
    (["verbs:"] + columns(verbs.map { ($0.syntax.name, $0.syntax.summary) })).joined(separator: "\n")
  }

  private static func columns(_ rows: [(String, String)]) -> [String] {
    let width = min(rows.map(\.0.count).max() ?? 0, 28)
    return rows.flatMap { left, right -> [String] in
      let gap = String(repeating: " ", count: max(0, width - left.count) + 2)
      let indent = String(repeating: " ", count: width + 4)
      return left.count > width ? ["  \(left)", indent + right] : ["  \(left)\(gap)\(right)"]
    }
  }
}
