import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTrustedDevice

/// What the server says of this installation's trusted devices.
struct TrustedDeviceListing {
  private let words: [KeyTag: String]
  /// Nil: nothing was to be reconciled.
  let report: (json: JSONObject, line: String)?

  /// Asks; makes no request when there is nothing to ask about.
  /// - Parameter reconciles: whether what differs is settled first: as `trusted-device reconcile` does for whoever is
  ///   signed in there; and a credential that the server says it does not know goes, whoever's it is.
  init(_ client: TrustedDeviceClient, _ holder: KeyHolder, reconciles: Bool, _ console: Console) async throws {
    let devices = client.trustedDevices
    let settled = reconciles ? try await devices.reconcile() : nil
    for failure in settled?.failures ?? [] { console.say("not settled: \(failure.code)") }
    let standings = try await devices.standings()
    words = standings.reduce(into: [:]) { words, standing in
      words[standing.tag] = standing.isAccepted.map { $0 ? "listed" : "unlisted" }
    }
    guard let settled else {
      report = nil
      return
    }
    var gone: [TrustedDeviceReconciliation.Removal] = []
    for standing in standings where standing.isAccepted == false {
      _ = await devices.validateLocalCredential(id: standing.id)
      guard try await holder.store.record(standing.tag) == nil else { continue }
      gone.append(.init(id: standing.id, reason: .missingOnServer))
    }
    report = (settled.json(gone), settled.line(gone))
  }

  /// Nil: the server was not asked about this key.
  func word(for record: KeyRecord) -> String? { words[record.tag] }
}
