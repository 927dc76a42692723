import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import AuthenticatorTrustedDevice
import AuthenticatorWebAuthnJourney

/// The signed-in user's keys as the server lists them, and what it says of trusted devices.
struct ServerListing {
  private let keyIDs: Set<String>
  private let credentialIDs: Set<[UInt8]>
  /// Nil: there is no trusted device of this server.
  private let trustedDevices: TrustedDeviceListing?
  /// Nil: the address has no journeys, and only trusted devices were asked about.
  private let user: SessionUser?
  private let instance: String
  private let realm: String
  /// Nil: nothing was to be reconciled.
  private let bindings: BindingReconciliation?

  init(_ options: LoginOptions, _ holder: KeyHolder, reconciles: Bool, _ console: Console) async throws {
    let session = try LoginSession(options, holder.device, console: console)
    let outcome = try await session.run()
    instance = options.configuration.instance
    realm = options.configuration.realm.description
    if let failure = outcome.failure {
      guard failure.code == Self.noJourneys, try await Self.isFrontendAPI(session, holder),
        let devices = try await Self.trustedDevices(session, holder, reconciles: reconciles, console)
      else { throw failure }
      console.say(
        "no journey was found there to sign in by (\(failure.message)): only trusted devices were asked about")
      (bindings, user, keyIDs, credentialIDs, trustedDevices) = (nil, nil, [], [], devices)
      return
    }
    typealias Lists = (
      BindingReconciliation?, SessionUser, [BindingDevice], Set<[UInt8]>, TrustedDeviceListing?
    )
    let result: Result<Lists, any Error>
    do {
      let devices = try session.devices(holder)
      result = .success(
        (
          reconciles ? try await devices.reconcile() : nil, try await devices.user(), try await devices.list(),
          try await Self.credentialIDs(session, holder, options.configuration.instance),
          try await Self.trustedDevices(session, holder, reconciles: reconciles, console)
        ))
    } catch {
      result = .failure(error)
    }
    // A session that was made for this question alone ends with it, whatever came of it.
    if options.sessionFile == nil { await session.endNewSession(outcome) }
    let list: [BindingDevice]
    (bindings, user, list, credentialIDs, trustedDevices) = try result.get()
    keyIDs = Set(list.map(\.keyID))
  }

  /// What a server says at an address that has no journeys.
  private static let noJourneys = "badRequest"

  /// Whether a client of the Frontend API has been at this address before, and is known there.
  private static func isFrontendAPI(_ session: LoginSession, _ holder: KeyHolder) async throws -> Bool {
    try await session.trustedDeviceClient(holder).environment != nil
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

  private static func trustedDevices(
    _ session: LoginSession, _ holder: KeyHolder, reconciles: Bool, _ console: Console
  ) async throws -> TrustedDeviceListing? {
    let query = KeyQuery(
      instance: session.journey.configuration.instance, family: .trustedDevice,
      states: Set(KeyRecord.State.allCases))
    guard try await !holder.store.records(matching: query).isEmpty else { return nil }
    return try await TrustedDeviceListing(
      session.trustedDeviceClient(holder), holder, reconciles: reconciles, console)
  }

  /// What was settled; nil: nothing was to be.
  var report: (json: JSONObject, lines: [String])? {
    guard bindings != nil || trustedDevices?.report != nil else { return nil }
    var json = bindings?.json ?? [:]
    json["trustedDevices"] = (trustedDevices?.report?.json).map(JSONValue.object) ?? .null
    let line = trustedDevices?.report.map { "trusted devices: \($0.line)" }
    return (json, [bindings?.line, line].compactMap { $0 })
  }

  /// Nil: the server was not asked about the key, or told nothing about it.
  func word(for record: KeyRecord) -> String? {
    if record.owner.family == .trustedDevice { return trustedDevices?.word(for: record) }
    guard let user else { return nil }
    if record.owner.family == .webAuthn, record.owner.instance == instance {
      return record.externalID.map(credentialIDs.contains) == true ? "listed" : nil
    }
    guard let key = UserKey(record), record.owner.instance == instance, record.owner.party == realm,
      key.userID == user.universalID
    else { return nil }
    return keyIDs.contains(key.keyID) ? "listed" : "unlisted"
  }
}

extension BindingReconciliation {
  fileprivate var line: String {
    "reconciled: \(committed.count) committed, \(discarded.count) discarded, \(restored.count) restored, "
      + "\(deleted.count) deleted, \(pending.count) pending"
  }

  fileprivate var json: JSONObject {
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
