public import AuthenticatorCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Names by which a person tells credentials apart: `<display name> <yyyyMMdd HH:mm:ss>`, the time of making in local
/// time. Equal names are made unique by a number, so that each stands for one credential.
public struct CredentialNames: Sendable {
  /// The names in alphabetical order.
  public let all: [String]
  private let ids: [String: CredentialID]

  /// - Parameter localTime: what a clock on the wall shows at an instant; the machine's time zone by default.
  public init(
    _ candidates: [PublicKeyCredentialSource], localTime: (UnixTime) -> String = CredentialNames.localTime
  ) {
    var ids: [String: CredentialID] = [:]
    for candidate in candidates {
      let displayName = DisplayText.shown(
        candidate.userDisplayName.isEmpty ? candidate.userName : candidate.userDisplayName)
      let name =
        displayName.isEmpty ? localTime(candidate.createdAt) : "\(displayName) \(localTime(candidate.createdAt))"
      var unique = name
      var number = 2
      while ids[unique] != nil {
        unique = "\(name) #\(number)"
        number += 1
      }
      ids[unique] = candidate.id
    }
    self.ids = ids
    all = ids.keys.sorted()
  }

  /// The name of a credential; nil for one that is not among them.
  public func name(of id: CredentialID) -> String? { ids.first { $0.value == id }?.key }

  /// The credential a name stands for; nil for any other text.
  public func id(of name: String) -> CredentialID? { ids[name] }

  /// The instant as `yyyyMMdd HH:mm:ss` in the machine's time zone.
  public static func localTime(_ time: UnixTime) -> String {
    var seconds = time_t(time.seconds)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return String(time.seconds) }
    let year = pad(Int(parts.tm_year) + 1900, 4)
    let date = year + pad(Int(parts.tm_mon) + 1, 2) + pad(Int(parts.tm_mday), 2)
    return "\(date) \(pad(Int(parts.tm_hour), 2)):\(pad(Int(parts.tm_min), 2)):\(pad(Int(parts.tm_sec), 2))"
  }

  private static func pad(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
