internal import AuthenticatorCore

/// The last used step of every journey under way, in two generations: an entry is forgotten when a whole lifetime of
/// tokens has passed since it was written. An entry costs 20 bytes and its share of the hash tables.
struct UsedSteps: Sendable {
  private var current: [JourneyID: UInt32] = [:]
  private var previous: [JourneyID: UInt32] = [:]
  /// When `current` becomes `previous`.
  private var turn: UnixTime?
  /// The longest lifetime seen, in milliseconds.
  private var lifetime: Int64 = 0

  let limit: Int

  init(limit: Int) { self.limit = limit }

  var count: Int { current.count + previous.count }

  mutating func consume(
    _ step: Int, of journey: JourneyID, expiresAt: UnixTime, now: UnixTime
  ) throws(RegistryError) -> Bool {
    guard let step = UInt32(exactly: step) else { return false }
    let (remaining, overflow) = expiresAt.milliseconds.subtractingReportingOverflow(now.milliseconds)
    guard !overflow, remaining > 0 else { return false }
    lifetime = max(lifetime, remaining)
    turnIfDue(now)
    if let used = current[journey] {
      guard step > used else { return false }
      current[journey] = step
      return true
    }
    if let used = previous[journey] {
      guard step > used else { return false }
      previous[journey] = nil
    } else {
      guard count < limit else { throw RegistryError(.full, "journeys under way") }
    }
    current[journey] = step
    return true
  }

  private mutating func turnIfDue(_ now: UnixTime) {
    let next = now.advanced(by: .milliseconds(lifetime))
    guard let turn else {
      self.turn = next
      return
    }
    guard now >= turn else { return }
    // After a pause of more than a lifetime nothing written before is of use.
    let isLongPast = now >= turn.advanced(by: .milliseconds(lifetime))
    previous = isLongPast ? [:] : current
    current = [:]
    self.turn = next
  }
}
