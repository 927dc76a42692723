public import AuthenticatorCoding

/// Why a settings file was refused.
public struct TrustedDeviceSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The member at fault; empty: the file as a whole.
  public let member: String
  /// What is wrong with it.
  public let reason: String

  public var description: String { member.isEmpty ? reason : "\(member) \(reason)" }
}

extension TrustedDeviceSettings {
  /// Reads a settings file: a JSON object with `"version": 1` and any of the settings under the names of the
  /// properties; durations are whole seconds. What is left out has its default.
  ///
  /// Throws `TrustedDeviceSettingsError` for another version, a member that is unknown, and a value of another kind or
  /// out of range.
  public init(json: JSONValue) throws(TrustedDeviceSettingsError) {
    guard let object = json.objectValue else {
      throw TrustedDeviceSettingsError(member: "", reason: "the file is not a JSON object")
    }
    guard object["version"] == 1 else { throw TrustedDeviceSettingsError(member: "version", reason: "is not 1") }
    self.init()
    for member in object where member.name != "version" { try take(SettingsMember(member.name, member.value)) }
  }

  private mutating func take(_ member: SettingsMember) throws(TrustedDeviceSettingsError) {
    switch member.name {
    case "realm": realm = try member.realm()
    case "nativeAPI": nativeAPI = try member.flag()
    case "trustedDevices": trustedDevices = try member.flag()
    case "promptAfterSignIn": promptAfterSignIn = try member.flag()
    case "promptAfterSignUp": promptAfterSignUp = try member.flag()
    case "signUp": signUp = try member.flag()
    case "singleSession": singleSession = try member.flag()
    case "urlFamilies":
      urlFamilies = Set(try member.words(of: URLFamily.self))
      guard !urlFamilies.isEmpty else { throw member.refused("is empty") }
    case "strategy": strategy = try member.word(of: Strategy.self)
    case "appIdentifiers": appIdentifiers = try member.texts()
    case "enrolledAgain": enrolledAgain = try member.word(of: EnrolledAgain.self)
    case "replaceScope": replaceScope = try member.word(of: ReplaceScope.self)
    case "pendingTasks": pendingTasks = try member.texts()
    case "reverifyAfter": reverifyAfter = .seconds(try member.number(in: 1...604_800))
    case "blockedDevices": blockedDevices = Set(try member.texts())
    case "requiresDeviceAttestation": requiresDeviceAttestation = try member.flag()
    case "quota": quota = try member.number(in: 1...1000)
    case "challengeLifetime": challengeLifetime = .seconds(try member.number(in: 1...3600))
    case "sessionLifetime": sessionLifetime = .seconds(try member.number(in: 1...31_536_000))
    case "maximumUsers": maximumUsers = try member.number(in: 1...1_000_000)
    default: throw member.refused("is not known")
    }
  }
}

/// One member of a settings file on its way to a value.
private struct SettingsMember {
  let name: String
  let value: JSONValue

  private static let maximumTexts = 100
  private static let maximumTextBytes = 256

  init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }

  func refused(_ reason: String) -> TrustedDeviceSettingsError {
    TrustedDeviceSettingsError(member: name, reason: reason)
  }

  func flag() throws(TrustedDeviceSettingsError) -> Bool {
    guard let flag = value.boolValue else { throw refused("is neither true nor false") }
    return flag
  }

  func number(in range: ClosedRange<Int>) throws(TrustedDeviceSettingsError) -> Int {
    guard let number = value.intValue, range.contains(number) else {
      throw refused("is no whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func realm() throws(TrustedDeviceSettingsError) -> Realm {
    guard let realm = value.stringValue.flatMap(Realm.init) else { throw refused("is no realm") }
    return realm
  }

  func texts() throws(TrustedDeviceSettingsError) -> [String] {
    guard let elements = value.arrayValue, elements.count <= Self.maximumTexts else {
      throw refused("is no array of at most \(Self.maximumTexts) texts")
    }
    let texts = elements.compactMap(\.stringValue)
    guard texts.count == elements.count, Set(texts).count == texts.count,
      texts.allSatisfy({ (1...Self.maximumTextBytes).contains($0.utf8.count) })
    else { throw refused("holds something that is no text of 1 to \(Self.maximumTextBytes) bytes, or one text twice") }
    return texts
  }

  func word<Word: RawRepresentable & CaseIterable>(
    of type: Word.Type
  ) throws(TrustedDeviceSettingsError) -> Word where Word.RawValue == String {
    guard let word = value.stringValue.flatMap(Word.init(rawValue:)) else { throw unknownWord(type) }
    return word
  }

  func words<Word: RawRepresentable & CaseIterable>(
    of type: Word.Type
  ) throws(TrustedDeviceSettingsError) -> [Word] where Word.RawValue == String {
    let texts = try texts()
    let words = texts.compactMap(Word.init(rawValue:))
    guard words.count == texts.count else { throw unknownWord(type) }
    return words
  }

  private func unknownWord<Word: RawRepresentable & CaseIterable>(
    _ type: Word.Type
  ) -> TrustedDeviceSettingsError where Word.RawValue == String {
    refused("is none of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
  }
}
