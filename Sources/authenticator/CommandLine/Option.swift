/// One option of a verb.
struct Option: Sendable {
  enum Kind: Sendable {
    /// Present or not.
    case flag
    /// Takes a value; the word is what the help calls it.
    case value(String)
    /// As `value`, any number of times, in order.
    case values(String)
  }

  /// With its two dashes.
  let name: String
  let kind: Kind
  let help: String

  init(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    self.kind = kind
    self.help = help
  }

  /// As the help shows it.
  var usage: String {
    switch kind {
    case .flag: name
    case .value(let word): "\(name) \(word)"
    case .values(let word): "\(name) \(word)…"
    }
  }

  /// Options of every verb.
  static let general = [
    Option("--json", .flag, "print data and errors as JSON"),
    Option("--verbose", .flag, "say what happens, on standard error (as AUTHENTICATOR_LOG=trace does)"),
    Option("--help", .flag, "show this help"),
  ]
}
