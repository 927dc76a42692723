import Foundation

/// What tests do on a machine that lacks what they need.
public enum Skips {
  /// Whether such a test must fail: so in continuous integration, whose machine lacks nothing, with
  /// `AUTHENTICATOR_SKIPS=refused`. The judges in Python obey the same word.
  public static let areRefused = ProcessInfo.processInfo.environment["AUTHENTICATOR_SKIPS"] == "refused"

  /// For `.enabled(if:)`: whether to run a test that needs `condition`. Where skips are refused it runs, and fails by
  /// itself.
  public static func unless(_ condition: @autoclosure () -> Bool) -> Bool { areRefused || condition() }
}
