import AuthenticatorCoding
import AuthenticatorUAF

/// `uaf list`: the caller's UAF keys.
struct UAFList: Verb {
  static let syntax = Syntax(
    "uaf", "list", summary: "list the UAF keys of a caller on this device",
    options: [UAFOptions.facet] + UAFOptions.optionsWithoutPrompts,
    notes: ["Not confirmed: the server's status of the registration is not known (yet); see 'uaf notify'."])

  private let options: UAFOptions
  private let facet: String

  init(_ arguments: Arguments) throws {
    facet = try UAFOptions.caller(arguments.required("--facet"))
    options = try UAFOptions(arguments)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let client = try await options.existingClient(console)
    let registrations = try await options.refusing { try await client.registrations(facetID: facet) }
    let json = registrations.map { one -> JSONValue in
      let keys = one.keys.map { key -> JSONValue in
        [
          "aaid": .string(key.aaid.rawValue), "keyID": .string(key.keyID.description),
          "confirmed": .bool(key.isConfirmed),
        ]
      }
      return ["appID": .string(one.appID), "keys": .array(keys)]
    }
    let lines = registrations.flatMap { one in
      one.keys.map { key in
        "\(key.keyID)  \(key.aaid) for \(one.appID)\(key.isConfirmed ? "" : ", not confirmed")"
      }
    }
    try console.print(.array(json), lines: lines.isEmpty ? ["no keys"] : lines)
    return .success
  }
}
