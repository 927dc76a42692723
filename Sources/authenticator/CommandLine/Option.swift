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
  /// Whether its file is only read, once and from the beginning: then `-` is standard input.
  let readsInput: Bool

  init(_ name: String, _ kind: Kind, _ help: String, readsInput: Bool = false) {
    self.name = name
    self.kind = kind
    self.help = help
    self.readsInput = readsInput
  }

  /// As the help shows it.
  var usage: String {
    switch kind {
    case .flag: name
    case .value(let word): "\(name) \(word)"
    case .values(let word): "\(name) \(word)…"
    }
  }

  /// Whether a value is a dash where the name of a file or folder belongs.
  func isDash(_ value: String) -> Bool {
    switch kind {
    case .flag: false
    case .value(let word), .values(let word):
      switch word {
      case "FILE", "FOLDER", "COSE": value == "-"
      case "NAME=FILE": value.drop { $0 != "=" } == "=-"
      case "DEVICE": value == "scripted:-"
      default: false
      }
    }
  }

  /// Options of every verb.
  static let general = [
    Option("--json", .flag, "print data and errors as JSON"),
    Option("--verbose", .flag, "say what happens, on standard error (as AUTHENTICATOR_LOG=trace does)"),
    Option("--help", .flag, "show this help"),
  ]
}
