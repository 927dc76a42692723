import Foundation
import Testing

/// Runs every example as a user would and compares what it prints.
@Suite struct ExampleTests {
  static let names = [
    "quick-start", "bind-and-sign-in", "enrollment-change", "application-pin", "several-users", "custom-authenticator",
    "device-passcode-fallback", "passkey-round-trip", "prf-unlock", "usernameless-sign-in", "webauthn-in-a-journey",
    "enroll-after-sign-in", "returning-user", "list-and-revoke", "uaf-sign-in",
    "uaf-fallback", "uaf-context-reuse", "uaf-payment", "uaf-changed-fingers",
  ]

  @Test(arguments: names) func printsWhatItPromises(_ name: String) throws {
    let expected = try #require(Bundle.module.url(forResource: name, withExtension: "txt", subdirectory: "Expected"))
    let run = try Self.run(name)
    #expect(run.status == 0)
    #expect(run.output == (try String(contentsOf: expected, encoding: .utf8)))
  }

  @Test func comparesEveryExample() throws {
    let files = try #require(Bundle.module.urls(forResourcesWithExtension: "txt", subdirectory: "Expected"))
    #expect(Set(files.compactMap { $0.deletingPathExtension?.lastPathComponent }) == Set(Self.names))
  }

  /// The executables are built beside the test bundle.
  private static func run(_ name: String) throws -> (status: Int32, output: String) {
    let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appendingPathComponent(name)
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
