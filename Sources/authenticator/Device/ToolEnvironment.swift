import AuthenticatorCore
import Glibc

/// The machine's clocks and randomness, and audit events on standard error when they are asked for.
enum ToolEnvironment {
  static func make(appIdentifier: String?, deviceName: String?, console: Console) -> AuthenticatorEnvironment {
    AuthenticatorEnvironment(
      appIdentifier: appIdentifier, deviceName: deviceName ?? hostName,
      emit: { event in console.trace("event: \(EventText.line(event))") })
  }

  /// The time on the machine's clock, in seconds since 1970-01-01T00:00:00Z.
  static var seconds: Int64 { Int64(time(nil)) }

  private static var hostName: String {
    var system = utsname()
    guard uname(&system) == 0 else { return "linux" }
    let name = withUnsafeBytes(of: &system.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return name.isEmpty ? "linux" : name
  }
}
