import AuthenticatorCoding
import AuthenticatorCore

/// `keys list`: every key of the store, in every state.
struct KeysList: Verb {
  static let syntax = Syntax(
    "keys", "list", summary: "list the keys of this device", options: DeviceOptions.withoutKeyMaking,
    notes: ["Health is told without a prompt; what the device cannot tell now is 'unknown'."])

  private let options: DeviceOptions

  init(_ arguments: Arguments) throws { options = try DeviceOptions(arguments) }

  func run(_ console: Console) async throws -> ExitStatus {
    guard let device = try await Device(options, console: console).withKeys() else {
      try console.print([], lines: ["no keys: there is no store at \(options.storePath)"])
      return .success
    }
    var entries: [JSONObject] = []
    for record in try await device.store.records(matching: .everything) {
      entries.append(KeyEntry(record: record, health: await device.health(of: record)).json)
    }
    entries += try await device.store.damagedTags().map(KeyEntry.damaged)
    try console.print(.array(entries.map(JSONValue.object)), lines: KeyEntry.lines(entries))
    return .success
  }
}
