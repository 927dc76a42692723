import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// Remembers, in a place that goes with the app, that this installation has been here before.
///
/// Key hardware and shared stores may outlive an app. Without its mark, keys that are found belong to an installation
/// that is gone, and are removed. Owed: `insert` is durable on return; absent and unreadable are told apart.
public protocol InstallationMarkers: Sendable {
  /// Whether the mark is there.
  /// - Throws: when it cannot be told.
  func contains(_ name: String) async throws -> Bool
  /// Makes the mark; one that is there is no error.
  func insert(_ name: String) async throws
}

/// The name of an installation's mark: server and app, so that no two share one.
enum InstallationMark {
  /// `nil`, the empty text and every other text give different names.
  static func name(instance: String, appIdentifier: String?) -> String {
    "trusted-device-installation." + part(instance) + "." + part(appIdentifier)
  }

  private static func part(_ text: String?) -> String { text.map { "s\($0.utf8.count):\($0)" } ?? "n" }
}
