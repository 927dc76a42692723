import AuthenticatorCoding
import AuthenticatorCore

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
      lacks may be another user's, and stays null. Trusted devices enrolled with this --server and --app-id are asked
      about whoever's they are: one is unlisted when the server accepts it no more. Where 'trusted-device' has been at
      this --server and there are no journeys, only trusted devices are asked about, as is said. With --reconcile --json the entries
      are the member 'keys' of an object whose 'reconciled' lists the tags of what was committed, discarded, restored,
      deleted or left pending, where there are journeys, and in 'trustedDevices' what 'trusted-device reconcile' prints, or null without any; a
      trusted device that the server says it does not know is removed, if this installation has a session or a client of
      'trusted-device' there; others stay unlisted. Exit status 1: a key that was checked would not work. That a key's
      health is unknown is no such finding.
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
    // What shapes the sign-in says nothing without it.
    let shaping = DeviceOptions.options.filter { $0.name == "--authenticator" || DeviceOptions.told.contains($0.name) }
    try arguments.check(Self.serverOptions + shaping, need: "--server")
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
    _ entries: [JSONObject], reconciled report: (json: JSONObject, lines: [String])?, _ lines: [String],
    on console: Console
  ) throws {
    let keys = JSONValue.array(entries.map(JSONValue.object))
    guard reconciles else { return try console.print(keys, lines: lines) }
    for line in report?.lines ?? [] { console.say(line) }
    try console.print(["keys": keys, "reconciled": (report?.json).map(JSONValue.object) ?? .null], lines: lines)
  }
}

extension Optional {
  fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async throws -> Result? {
    guard let self else { return nil }
    return try await body(self)
  }
}
