import AuthenticatorCoding
import AuthenticatorCore

/// `keys delete`: destroys a key on this device.
struct KeysDelete: Verb {
  static let syntax = Syntax(
    "keys", "delete", summary: "destroy a key of this device; the server's record remains", operands: ["TAG"],
    options: DeviceOptions.withoutPrompts,
    notes: [
      """
      Only the local half goes. Remove the server's record too: signed in as the key's user, or by an administrator.
      """
    ])

  private let options: DeviceOptions
  private let tag: KeyTag

  init(_ arguments: Arguments) throws {
    options = try DeviceOptions(arguments)
    tag = KeyTag(rawValue: arguments.operands.first ?? "")
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let device = try await Device(options, console: console).withKeys()
    guard let device, try await device.holds(tag) else { throw Failure.unknownKey(tag) }
    // A key that was replaced, or never accepted, may have none on the server; only the server knows.
    let remains = try await !device.hasOpenFate(tag)
    try await device.store.delete(tag)
    let rest = remains ? "the server's record of it remains" : "whether the server has a record of it is not known here"
    try console.print(
      ["deleted": .string(tag.rawValue), "serverRecord": remains ? "remains" : "unknown"],
      lines: ["deleted \(tag); \(rest)"])
    return .success
  }
}

extension Failure {
  static func unknownKey(_ tag: KeyTag) -> Failure {
    Failure(
      code: AuthenticatorError.Code.keyNotFound.rawValue, message: "there is no key '\(tag)'", stage: "keys",
      status: .refused)
  }
}
