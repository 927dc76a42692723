import AuthenticatorCoding

/// What one check of `doctor` found.
struct Finding: Sendable {
  enum Status: String, Sendable {
    case ok
    /// Nothing fails, but something is not as safe as it could be; the fix says what to do.
    case warning
    /// Something will fail; the fix says what to do.
    case fault
    /// Not looked at, because nothing that was asked for needs it.
    case skipped
  }

  let check: String
  let status: Status
  let message: String
  let fix: String?

  static func ok(_ check: String, _ message: String) -> Finding {
    Finding(check: check, status: .ok, message: message, fix: nil)
  }

  static func warning(_ check: String, _ message: String, fix: String) -> Finding {
    Finding(check: check, status: .warning, message: message, fix: fix)
  }

  static func fault(_ check: String, _ message: String, fix: String) -> Finding {
    Finding(check: check, status: .fault, message: message, fix: fix)
  }

  static func skipped(_ check: String, _ message: String) -> Finding {
    Finding(check: check, status: .skipped, message: message, fix: nil)
  }

  var json: JSONValue {
    [
      "check": .string(check), "status": .string(status.rawValue), "message": .string(message),
      "fix": fix.map(JSONValue.string) ?? .null,
    ]
  }

  var lines: [String] {
    let word = String(repeating: " ", count: max(0, 7 - status.rawValue.count)) + status.rawValue
    return ["\(word)  \(check): \(message)"] + (fix.map { ["         fix: \($0)"] } ?? [])
  }
}
