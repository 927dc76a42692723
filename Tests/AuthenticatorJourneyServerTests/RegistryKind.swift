import AuthenticatorJourneyServer
import Foundation

/// A directory that goes with the test.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "journey-server-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String = "registry.db") -> String { path + "/" + name }
}

enum RegistryKind: CaseIterable {
  case memory
  case sqlite

  func make(_ directory: TemporaryDirectory, limits: RegistryLimits = .default) throws -> any JourneyRegistry {
    switch self {
    case .memory: InMemoryRegistry(limits: limits)
    case .sqlite: try SQLiteRegistry(path: directory.file(), limits: limits)
    }
  }
}
