import AuthenticatorCore
import AuthenticatorCrypto

/// The failures of one subject, and when the last one was, by two clocks.
struct AttemptRecord: Hashable, Sendable {
  var failures = 0
  var wall = UnixTime(milliseconds: 0)
  /// Since boot, in milliseconds.
  var uptime: Int64 = 0

  mutating func add(_ wall: UnixTime, _ uptime: Duration) {
    failures += 1
    self.wall = wall
    self.uptime = uptime.milliseconds
  }

  /// Moves the anchors behind a clock that was set back and behind a restart, so that the pause ends some time.
  /// Returns whether it had to; the pause then starts anew where the clock was set back.
  mutating func anchor(_ wall: UnixTime, _ uptime: Duration) -> Bool {
    var isMoved = false
    if uptime.milliseconds < self.uptime {
      // The machine was restarted. At least the time since then has passed.
      self.uptime = 0
      isMoved = true
    }
    if wall < self.wall {
      self.wall = wall
      self.uptime = uptime.milliseconds
      isMoved = true
    }
    return isMoved
  }

  /// What is left of a pause. Only what both clocks agree on has passed: neither a restart nor a changed clock, nor
  /// a copy of the store on another machine, shortens it.
  func remaining(of delay: Duration, _ wall: UnixTime, _ uptime: Duration) -> Duration? {
    guard delay > .zero else { return nil }
    let byWall = wall.milliseconds.subtractingReportingOverflow(self.wall.milliseconds)
    let byUptime = uptime.milliseconds.subtractingReportingOverflow(self.uptime)
    guard !byWall.overflow, !byUptime.overflow else { return delay }
    let passed = max(0, min(byWall.partialValue, byUptime.partialValue))
    let left = delay - .milliseconds(passed)
    return left > .zero ? left : nil
  }
}

extension RowTransaction {
  func attempts(of subject: AttemptSubject, with cipher: StoreCipher) throws -> AttemptRecord? {
    let name = cipher.ledgerName(subject)
    guard let box = try value(.attempts, name) else { return nil }
    var fields = FieldReader(try cipher.open(box, .ledger, cipher.ledgerData(.attempts, name)))
    guard let failures = Int32(exactly: try fields.readNumber()), failures >= 0 else { throw FieldReader.malformed }
    let record = AttemptRecord(
      failures: Int(failures), wall: UnixTime(milliseconds: try fields.readNumber()), uptime: try fields.readNumber())
    try fields.expectEnd()
    return record
  }

  func setAttempts(_ record: AttemptRecord?, of subject: AttemptSubject, with cipher: StoreCipher) throws {
    let name = cipher.ledgerName(subject)
    let box = try record.map { record in
      var fields = FieldWriter(capacity: 24)
      fields.write(Int64(record.failures))
      fields.write(record.wall.milliseconds)
      fields.write(record.uptime)
      return try cipher.seal(fields.bytes, .ledger, cipher.ledgerData(.attempts, name))
    }
    try setValue(.attempts, name, owner: nil, to: box)
  }
}
