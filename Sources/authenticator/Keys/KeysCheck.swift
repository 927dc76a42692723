import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJourney

/// `keys check`: what would become of each key, here and, signed in, on its server.
struct KeysCheck: Verb {
  static let syntax = Syntax(
    "keys", "check", summary: "tell whether keys would work; with --server, whether the server knows them",
    operands: ["[TAG]"],
    options: LoginOptions.server + LoginOptions.flow + [
      Option("--reconcile", .flag, "settle what differs between this device and the server's list")
    ] + DeviceOptions.options,
    notes: [
      """
      Prints the entries of 'keys list' with a member 'server': listed, unlisted, or null when it was not asked.
      With --server it signs in by --journey first, and asks about the keys of that user. Exit status 1: a key that
      was checked would not work.
      """
    ] + LoginOptions.answerNotes)

  private let device: DeviceOptions
  private let login: LoginOptions?
  private let tag: KeyTag?
  private let reconciles: Bool

  init(_ arguments: Arguments) throws {
    device = try DeviceOptions(arguments)
    login = arguments.value("--server") == nil ? nil : try LoginOptions(arguments)
    tag = arguments.operands.first.map(KeyTag.init(rawValue:))
    reconciles = arguments.has("--reconcile")
    guard login != nil || (!reconciles && arguments.value("--journey") == nil) else {
      throw Failure.usage("--server is missing")
    }
  }

  func run(_ console: Console) async throws -> ExitStatus {
    guard let device = try await Device(device, console: console).withKeys() else {
      if let tag { throw Failure.unknownKey(tag) }
      try console.print([], lines: ["no keys: there is no store at \(self.device.storePath)"])
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
      if record.state == .active { isGood = isGood && entry.health == .usable && word != "unlisted" }
    }
    for damaged in try await device.store.damagedTags() where tag == nil || damaged == tag {
      var json = KeyEntry.damaged(damaged)
      json["server"] = .null
      entries.append(json)
      isGood = false
    }
    try console.print(.array(entries.map(JSONValue.object)), lines: KeyEntry.lines(entries))
    return isGood ? .success : .refused
  }
}

/// The signed-in user's devices as the server lists them.
private struct ServerListing {
  private let keyIDs: Set<String>
  private let user: SessionUser
  private let instance: String
  private let realm: String

  init(_ options: LoginOptions, _ holder: KeyHolder, reconciles: Bool, _ console: Console) async throws {
    let session = try LoginSession(options, holder.device, console: console)
    let outcome = try await session.run()
    guard outcome.word == .success, outcome.session?.hasToken == true else {
      throw outcome.failure
        ?? Failure(
          code: "invalidRequest", message: "checking needs a session; leave --no-session out", stage: "keys",
          status: .usage)
    }
    let devices = try BindingDevices(session.journey, context: holder.context(instance: options.configuration.instance))
    if reconciles {
      let report = try await devices.reconcile()
      console.say(
        "reconciled: \(report.committed.count) committed, \(report.discarded.count) discarded, "
          + "\(report.restored.count) restored, \(report.deleted.count) deleted, \(report.pending.count) pending")
    }
    user = try await devices.user()
    keyIDs = Set(try await devices.list().map(\.keyID))
    instance = options.configuration.instance
    realm = options.configuration.realm.description
    // The session was made for this question only.
    try await session.journey.logout()
  }

  /// Nil: the key is not of the user whose list was read.
  func word(for record: KeyRecord) -> String? {
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
