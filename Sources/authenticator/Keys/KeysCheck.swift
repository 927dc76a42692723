import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import AuthenticatorWebAuthnJourney

/// `keys check`: what would become of each key, here and, signed in, on its server.
struct KeysCheck: Verb {
  static let syntax = Syntax(
    "keys", "check", summary: "tell whether keys would work; with --server, whether the server knows them",
    operands: ["[TAG]"],
    options: serverOptions + DeviceOptions.options,
    notes: [
      """
      Prints the entries of 'keys list' with a member 'server': listed, unlisted, or null when it was not asked.
      With --server it signs in by --journey first, and asks about the keys of that user; the session ends with the
      check, unless --session-file keeps it. A WebAuthn credential does not tell whose it is: one that the user's list
      lacks may be another user's, and stays null. With --reconcile --json the entries are the member 'keys' of an object
      whose 'reconciled' lists the tags of what was committed, discarded, restored, deleted or left pending. Exit
      status 1: a key that was checked would not work. That a key's health is unknown is no such finding.
      """
    ] + LoginOptions.answerNotes)

  private static let serverOptions =
    LoginOptions.server + LoginOptions.flow + [
      Option("--reconcile", .flag, "settle what differs between this device and the server's list")
    ]

  private let device: DeviceOptions
  private let login: LoginOptions?
  private let tag: KeyTag?
  private let reconciles: Bool

  init(_ arguments: Arguments) throws {
    device = try DeviceOptions(arguments)
    try arguments.check(Self.serverOptions, need: "--server")
    guard !arguments.has("--no-session") else {
      throw Failure.usage("checking needs a session; leave --no-session out")
    }
    login = arguments.value("--server") == nil ? nil : try LoginOptions(arguments)
    tag = arguments.operands.first.map(KeyTag.init(rawValue:))
    reconciles = arguments.has("--reconcile")
  }

  func run(_ console: Console) async throws -> ExitStatus {
    guard let device = try await Device(device, console: console).withKeys() else {
      if let tag { throw Failure.unknownKey(tag) }
      try show([], reconciled: nil, ["no keys: there is no store at \(self.device.storePath)"], on: console)
      return .success
    }
    if let tag, try await !device.holds(tag) { throw Failure.unknownKey(tag) }
    let listing = try await login.asyncMap { try await ServerListing($0, device, reconciles: reconciles, console) }
    var entries: [JSONObject] = []
    var isGood = true
    for record in try await device.store.records(matching: .everything) where tag == nil || record.tag == tag {
      let entry = KeyEntry(record: record, health: await device.health(of: record))
      let word = listing?.word(for: record)
      var json = entry.json
      json["server"] = word.map(JSONValue.string) ?? .null
      entries.append(json)
      if record.state == .active, word == "unlisted" || !Self.harmless.contains(entry.health.state) { isGood = false }
    }
    for damaged in try await device.store.damagedTags() where tag == nil || damaged == tag {
      var json = KeyEntry.damaged(damaged)
      json["server"] = .null
      entries.append(json)
      isGood = false
    }
    try show(entries, reconciled: listing?.report, KeyEntry.lines(entries), on: console)
    return isGood ? .success : .refused
  }

  private static let harmless: [KeyHealth] = [.usable, .unknown]

  private func show(
    _ entries: [JSONObject], reconciled report: BindingReconciliation?, _ lines: [String], on console: Console
  ) throws {
    let keys = JSONValue.array(entries.map(JSONValue.object))
    guard reconciles else { return try console.print(keys, lines: lines) }
    if let report { console.say(report.line) }
    try console.print(["keys": keys, "reconciled": report?.json ?? .null], lines: lines)
  }
}

/// The signed-in user's devices as the server lists them.
private struct ServerListing {
  private let keyIDs: Set<String>
  private let credentialIDs: Set<[UInt8]>
  private let user: SessionUser
  private let instance: String
  private let realm: String
  /// Nil: nothing was to be reconciled.
  let report: BindingReconciliation?

  init(_ options: LoginOptions, _ holder: KeyHolder, reconciles: Bool, _ console: Console) async throws {
    let session = try LoginSession(options, holder.device, console: console)
    let outcome = try await session.run()
    if let failure = outcome.failure { throw failure }
    instance = options.configuration.instance
    realm = options.configuration.realm.description
    typealias Lists = (BindingReconciliation?, SessionUser, [BindingDevice], Set<[UInt8]>)
    let result: Result<Lists, any Error>
    do {
      let devices = try session.devices(holder)
      result = .success(
        (
          reconciles ? try await devices.reconcile() : nil, try await devices.user(), try await devices.list(),
          try await Self.credentialIDs(session, holder, options.configuration.instance)
        ))
    } catch {
      result = .failure(error)
    }
    // A session that was made for this question alone ends with it, whatever came of it.
    if options.sessionFile == nil { await session.endNewSession(outcome) }
    let list: [BindingDevice]
    (report, user, list, credentialIDs) = try result.get()
    keyIDs = Set(list.map(\.keyID))
  }

  /// Not asked when there is nothing to ask about: servers without WebAuthn have no such list.
  private static func credentialIDs(
    _ session: LoginSession, _ holder: KeyHolder, _ instance: String
  ) async throws -> Set<[UInt8]> {
    let held = try await holder.store.records(matching: KeyQuery(instance: instance, family: .webAuthn))
    guard !held.isEmpty else { return [] }
    let devices = try WebAuthnDevices(session.journey, context: holder.context(instance: instance))
    return Set(try await devices.list().map(\.credentialID.bytes))
  }

  /// Nil: the key is not of the user whose list was read.
  func word(for record: KeyRecord) -> String? {
    if record.owner.family == .webAuthn, record.owner.instance == instance {
      return record.externalID.map(credentialIDs.contains) == true ? "listed" : nil
    }
    guard let key = UserKey(record), record.owner.instance == instance, record.owner.party == realm,
      key.userID == user.universalID
    else { return nil }
    return keyIDs.contains(key.keyID) ? "listed" : "unlisted"
  }
}

extension Optional {
  fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async throws -> Result? {
    guard let self else { return nil }
    return try await body(self)
  }
}

extension BindingReconciliation {
  fileprivate var line: String {
    "reconciled: \(committed.count) committed, \(discarded.count) discarded, \(restored.count) restored, "
      + "\(deleted.count) deleted, \(pending.count) pending"
  }

  fileprivate var json: JSONValue {
    let tags = { (tags: [KeyTag]) in JSONValue.array(tags.map { .string($0.rawValue) }) }
    return [
      "committed": tags(committed), "discarded": tags(discarded), "restored": tags(restored), "deleted": tags(deleted),
      "pending": tags(pending),
      "failures": .array(
        failures.map {
          let failure = Failure($0)
          return ["error": .string(failure.code), "message": .string(failure.message), "stage": .string(failure.stage)]
        }),
    ]
  }
}
