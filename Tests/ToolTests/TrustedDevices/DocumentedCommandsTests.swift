import Foundation
import Testing
import ToolSupport

/// The commands of Docs/protocols/trusted-device.md, run as they stand: only the server's port is another.
@Suite struct DocumentedCommandsTests {
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Docs/protocols/trusted-device.md")

  private static func blocks() throws -> [String] {
    let text = try String(contentsOf: page, encoding: .utf8)
    return text.components(separatedBy: "\n```sh\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
  }

  @Test func doWhatThePageSays() async throws {
    let folder = try TemporaryFolder()
    var lines = try Self.blocks().joined(separator: "\n").split(separator: "\n").map(String.init)
    let place = try #require(lines.firstIndex { $0.hasPrefix("authenticator serve ") })
    let serve = lines.remove(at: place)
    #expect(serve.hasSuffix(" &"))
    #expect(serve.contains(" --port 8080 "))
    // What the lines before it write, it reads.
    try folder.write("before", lines[..<place].joined(separator: "\n"))
    try folder.write("serve", "exec \(serve.dropLast(2))".replacingOccurrences(of: "8080", with: "0"))
    let path = "\(Tool.products):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    func shell(_ script: String) throws -> ChildProcess {
      try ChildProcess(
        "/bin/sh", ["-c", "cd '\(folder.path)' && . ./\(script)"], environment: ["PATH": path])
    }
    #expect(try await shell("before").result().status == 0)
    let server = try shell("serve")
    let first = try await server.firstLine()
    let url = try #require(first.components(separatedBy: "listening at ").last)
    let port = try #require(url.components(separatedBy: ":").last?.components(separatedBy: "/").first)
    try folder.write(
      "commands", (["set -e"] + lines).joined(separator: "\n").replacingOccurrences(of: "8080", with: port))
    let result = try await shell("commands").result()
    server.end()
    #expect(result.status == 0, "\(result.stdout)\(result.stderr)")
    let printed = result.stdout
    #expect(printed.contains("sign-up: complete"))
    #expect(printed.contains("sign-in: complete"))
    #expect(printed.contains("  (this one)"))
    #expect(printed.contains("  revoked  "))
    #expect(printed.components(separatedBy: "signed in").count == 3, "\(printed)")
  }
}
