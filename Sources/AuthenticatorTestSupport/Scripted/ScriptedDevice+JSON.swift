import AuthenticatorCoding
import AuthenticatorCore

extension ScriptedDevice {
  /// No device counts further than this.
  static let largestCount = 1_000_000
  /// The end of the year 9999, in milliseconds.
  private static let latestTime = 253_402_300_799_999

  /// Reads a description from a file of at most 1 MiB.
  /// - Throws: `ScriptedDeviceError`, with a line that says where and what.
  public init(contentsOf path: String) throws {
    guard let bytes = try ScriptedFile(path: path).content() else {
      throw ScriptedDeviceError("\(path): there is no such file")
    }
    do {
      try self.init(json: bytes)
    } catch let error as ScriptedDeviceError {
      throw ScriptedDeviceError("\(path): \(error.description)")
    }
  }

  /// Reads a description. Strict: a member, word or version that schema version 1 does not have is refused.
  /// - Throws: `ScriptedDeviceError`.
  public init(json bytes: [UInt8]) throws {
    var reader = try StrictObject(try JSONValue.scripted(bytes), at: "device")
    try reader.requireVersion()
    self.init()
    if let sensor: Sensor = try reader.word("sensor") { self.sensor = sensor }
    isSensorAvailable = try reader.flag("sensorAvailable") ?? true
    enrolled = try reader.names("enrolled") ?? []
    passcode = try reader.optionalText("passcode").map { ScriptedText($0) }
    failedAttempts = try reader.count("failedAttempts", upTo: Self.largestCount) ?? 0
    isLockedOut = try reader.flag("lockedOut") ?? false
    if let domainState: DomainState = try reader.word("domainState") { self.domainState = domainState }
    now = try reader.count("now", upTo: Self.latestTime).map { UnixTime(milliseconds: Int64($0)) }
    transcript = try reader.optionalText("transcript")
    state = try reader.optionalText("state")
    if let array = try reader.take("steps", "an array", { $0.arrayValue }) {
      steps = try array.enumerated().map { try ScriptedStep(json: $1, at: "steps[\($0)]") }
    }
    context = try reader.value("context").map { try Context(json: $0) }
    try reader.expectEnd()
  }
}

extension ScriptedDevice.Context {
  fileprivate init(json: JSONValue) throws {
    var reader = try StrictObject(json, at: "context")
    self.init()
    switch try reader.text("method") {
    case "biometric": isBiometric = true
    case "passcode": isBiometric = false
    case let word: throw ScriptedDeviceError("context: unknown method \"\(word)\"")
    }
    isAuthenticated = try reader.flag("authenticated") ?? true
    isInvalidated = try reader.flag("invalidated") ?? false
    if let seconds = try reader.take("age", "a number of seconds, 0 or more", { $0.doubleValue }) {
      guard (0...1e9).contains(seconds) else { throw ScriptedDeviceError("context: age is out of range") }
      age = .milliseconds(Int64(seconds * 1000))
    }
    try reader.expectEnd()
  }
}

extension ScriptedStep {
  fileprivate init(json: JSONValue, at place: String) throws {
    var reader = try StrictObject(json, at: place)
    switch try reader.text("do") {
    case "match": self = .match(finger: try reader.optionalText("finger"))
    case "mismatch": self = .mismatch
    case "cancel": self = .cancel
    case "systemCancel": self = .systemCancel
    case "fallback": self = .fallback
    case "passcode": self = .passcode(ScriptedText(try reader.text("value")))
    case "pin": self = .pin(ScriptedText(try reader.text("value")))
    case "approve": self = .approve
    case "refuse": self = .refuse
    case "choose": self = .choose(try reader.text("value"))
    case "noAnswer": self = .noAnswer
    case "hang": self = .hang
    case "sensorUnavailable": self = .sensorUnavailable
    case "enroll": self = .enroll(try reader.text("finger"))
    case "remove": self = .remove(try reader.text("finger"))
    case let word: throw ScriptedDeviceError("\(place): unknown step \"\(word)\"")
    }
    try reader.expectEnd()
  }
}
