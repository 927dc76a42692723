import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding

/// `keys rotate`: binds anew; the old key retires when the server has accepted the new one.
struct KeysRotate: Verb {
  static let syntax = Syntax(
    "keys", "rotate", summary: "bind anew in a journey and retire the old key", operands: ["[TAG]"],
    options: LoginOptions.server + LoginOptions.flowOptions(journey: defaultJourney) + DeviceOptions.options,
    notes: [
      """
      Prints the outcome of the journey, as 'login' does, with 'rotated': the tags of the old and the new key, and
      whether the server's record of the old one 'remains' or is 'removed'. When the journey fails before the new key
      is bound the old one works on; when it fails later, 'rotated' tells the tags all the same.
      A retired key stays here until the new one has signed in once. What remains on the server is removed at a later
      'login', or by 'keys check --reconcile'.
      """
    ] + LoginOptions.answerNotes)

  private static let defaultJourney = "BindDevice"
  private static let notRotated = "notRotated"

  private let device: DeviceOptions
  private let login: LoginOptions
  private let tag: KeyTag?

  init(_ arguments: Arguments) throws {
    device = try DeviceOptions(arguments)
    login = try LoginOptions(arguments, defaultJourney: Self.defaultJourney)
    tag = arguments.operands.first.map(KeyTag.init(rawValue:))
  }

  func run(_ console: Console) async throws -> ExitStatus {
    guard let holder = try await Device(device, console: console).withKeys() else {
      throw tag.map(Failure.unknownKey) ?? Self.noKey
    }
    let old = try await oldKey(holder)
    let session = try LoginSession(login, holder.device, console: console)
    var outcome = try await session.run()
    var new: KeyRecord?
    // However it ends: the new key is bound by the step that follows it, and a later one may fail.
    do {
      new = try await successor(of: old, in: holder)
    } catch {
      // What is no rotation leaves no session either. A journey that has failed has its own reason.
      if outcome.word == .success {
        outcome.word = .failure
        outcome.failure = error
        await session.endNewSession(outcome)
      } else if error.code != Self.notRotated {
        console.trace("rotate: \(error.message)")
      }
    }
    let isReleased = await session.release(old.tag, in: holder, after: outcome)
    var json = outcome.json
    json["rotated"] =
      new.map {
        [
          "old": .string(old.tag.rawValue), "new": .string($0.tag.rawValue),
          "serverRecord": isReleased ? "removed" : "remains",
        ]
      } ?? .null
    let rest = "the server's record of the old one \(isReleased ? "is removed" : "remains")"
    let lines = new.map { ["rotated: \(old.tag) is retired, \($0.tag) is active; \(rest)"] }
    try console.print(.object(json), lines: lines ?? [])
    outcome.explain(on: console, allowsSoftwareKeys: device.allowsSoftwareKeys)
    return outcome.exitStatus
  }

  static func ending(by error: any Error) -> Failure {
    var failure = LoginOutcome.failure(error)
    failure.details["rotated"] = .null
    return failure
  }

  private static var noKey: Failure {
    Failure(
      code: AuthenticatorError.Code.keyNotFound.rawValue, message: "there is no key for this server and realm",
      stage: "rotate", status: .refused)
  }

  /// The key to be replaced: the named one, or the only one for this server and realm.
  private func oldKey(_ holder: KeyHolder) async throws -> KeyRecord {
    let instance = login.configuration.instance
    let realm = login.configuration.realm.description
    guard let tag else {
      let query = KeyQuery(instance: instance, family: .deviceBinding, party: realm)
      let keys = try await holder.store.records(matching: query)
      guard keys.count < 2 else { throw Failure.usage("there are several keys for this server and realm; name a TAG") }
      guard let key = keys.first else { throw Self.noKey }
      return key
    }
    guard let record = try await holder.store.record(tag) else { throw Failure.unknownKey(tag) }
    guard record.owner.family == .deviceBinding else {
      throw Failure.usage(
        "key '\(tag)' is of the protocol \(record.owner.family.rawValue); a journey binds device-binding keys anew")
    }
    guard record.owner.instance == instance, record.owner.party == realm else {
      throw Failure.usage("key '\(tag)' is of another server or realm")
    }
    guard record.state == .active else {
      throw Failure(
        code: AuthenticatorError.Code.invalidKeyState.rawValue, message: "key '\(tag)' is \(record.state.rawValue)",
        stage: "rotate", status: .refused)
    }
    return record
  }

  /// The key that the journey has bound in place of the old one.
  private func successor(of old: KeyRecord, in holder: KeyHolder) async throws(Failure) -> KeyRecord {
    let query = KeyQuery(instance: old.owner.instance, family: old.owner.family, slot: old.slot)
    let records: [KeyRecord]
    do {
      records = try await holder.store.records(matching: query)
    } catch {
      var failure = Failure(error)
      failure.message = "the journey has ended; whether '\(old.tag)' was replaced is not known: \(failure.message)"
      throw failure
    }
    guard let new = records.first(where: { $0.owner == old.owner && $0.tag != old.tag }) else {
      throw Failure(
        code: Self.notRotated, message: "the journey ended without a new key for the user of '\(old.tag)'",
        stage: "rotate", status: .refused)
    }
    return new
  }
}
