import AuthenticatorCoding
import AuthenticatorCore

/// `keys delete`: destroys a key on this device.
struct KeysDelete: Verb {
  static let syntax = Syntax(
    "keys", "delete", summary: "destroy a key of this device; the server's record remains", operands: ["TAG"],
    options: DeviceOptions.options,
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
    try await device.store.delete(tag)
    try console.print(
      ["deleted": .string(tag.rawValue), "serverRecord": "remains"],
      lines: ["deleted \(tag); the server's record of it remains"])
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
