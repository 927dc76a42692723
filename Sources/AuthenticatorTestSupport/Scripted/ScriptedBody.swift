import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// What of a scripted device changes: the enrolled set, misses and the lock, kept in its state file if it has one.
struct ScriptedBody: Sendable {
  /// Consecutive misses that lock the sensor.
  static let missesUntilLock = ScriptedUserVerifier.missesUntilLock

  let device: ScriptedDevice
  private(set) var enrolled: Set<String>
  private(set) var failedAttempts: Int
  /// What the description or the state file says of the lock beside the count.
  private var isLocked: Bool

  /// Whether the sensor takes no touch until the passcode is given: one rule, wherever the numbers come from.
  var isLockedOut: Bool { isLocked || failedAttempts >= Self.missesUntilLock }

  init(_ device: ScriptedDevice) throws {
    self.device = device
    enrolled = device.enrolled
    failedAttempts = max(0, device.failedAttempts)
    isLocked = device.isLockedOut
    guard let path = device.state else { return }
    let file = ScriptedFile(path: path)
    if let content = try file.content() {
      do {
        try load(content)
      } catch let error as ScriptedDeviceError {
        throw ScriptedDeviceError("\(path): \(error.description)")
      }
      try file.checkReplaceable()
    } else {
      try save()
    }
  }

  /// The states of the device's methods.
  var methods: [VerificationMethod: MethodState] {
    var states: [VerificationMethod: MethodState] = [.fingerprint: .noSensor, .face: .noSensor]
    states[.passcode] = device.passcode == nil ? .notSet : .ready
    if let method = device.sensor.method {
      states[method] =
        !device.isSensorAvailable ? .unavailable : enrolled.isEmpty ? .notEnrolled : isLockedOut ? .lockedOut : .ready
    }
    return states
  }

  /// A digest of sensor and enrolled set; nil when nothing is enrolled. Without a sensor nobody can tell.
  func enrollmentState() throws -> EnrollmentState? {
    guard device.domainState == .derived, device.isSensorAvailable || device.sensor == .none else {
      throw AuthenticatorError(.enrollmentStateUnreadable, stage: "scripted")
    }
    guard device.sensor != .none else { throw AuthenticatorError(.enrollmentStateUnreadable, stage: "scripted") }
    guard !enrolled.isEmpty else { return nil }
    guard !isLockedOut else { throw AuthenticatorError(.lockedOut, stage: "scripted") }
    var hash = SHA256()
    for name in [device.sensor.rawValue] + enrolled.sorted() {
      hash.update(withUnsafeBytes(of: UInt64(name.utf8.count).bigEndian) { Array($0) })
      hash.update(Array(name.utf8))
    }
    return EnrollmentState(digest: hash.finalized())
  }

  /// Whether a touch matches. The result is in the state file before it is known.
  mutating func touch(finger: String?) throws -> Bool {
    guard !enrolled.isEmpty, finger.map(enrolled.contains) ?? true else {
      try miss()
      return false
    }
    try unlock()
    return true
  }

  mutating func miss() throws {
    failedAttempts = min(failedAttempts, .max - 1) + 1
    try save()
  }

  /// Whether the text is the passcode; the right one unlocks the sensor.
  mutating func enter(passcode: ScriptedText) throws -> Bool {
    guard passcode == device.passcode else { return false }
    try unlock()
    return true
  }

  private mutating func unlock() throws {
    guard isLockedOut || failedAttempts > 0 else { return }
    failedAttempts = 0
    isLocked = false
    try save()
  }

  mutating func enroll(_ name: String) throws {
    enrolled.insert(name)
    try save()
  }

  mutating func remove(_ name: String) throws {
    enrolled.remove(name)
    try save()
  }

  private mutating func load(_ content: [UInt8]) throws {
    var reader = try StrictObject(try JSONValue.scripted(content), at: "state")
    try reader.requireVersion()
    failedAttempts = try reader.count("failedAttempts", upTo: ScriptedDevice.largestCount) ?? 0
    isLocked = try reader.flag("lockedOut") ?? false
    enrolled = try reader.names("enrolled") ?? []
    try reader.expectEnd()
  }

  private func save() throws {
    guard let path = device.state else { return }
    let object: JSONValue = [
      "version": 1, "failedAttempts": .integer(Int64(failedAttempts)), "lockedOut": .bool(isLockedOut),
      "enrolled": .array(enrolled.sorted().map { .string($0) }),
    ]
    try ScriptedFile(path: path).replace(with: object.serialized() + [0x0A])
  }
}
