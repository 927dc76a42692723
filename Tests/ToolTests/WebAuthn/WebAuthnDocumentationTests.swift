import AuthenticatorCoding
import Testing
import ToolSupport

/// What the documentation tells to type works as it stands.
@Suite struct WebAuthnDocumentationTests {
  @Test(arguments: [("webauthn.md", "## On the command line"), ("uaf.md", "## The tool")])
  func theExampleOfTheCommandLineCanBeFollowed(page name: String, heading: String) async throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let page = String(
      decoding: try #require(TemporaryFolder.read("/\(root)/Docs/protocols/\(name)")), as: UTF8.self)
    let section = try #require(page.firstRange(of: heading)?.upperBound)
    let start = try #require(page[section...].firstRange(of: "```sh\n")?.upperBound)
    let end = try #require(page[start...].firstRange(of: "```\n")?.lowerBound)
    let folder = try TemporaryFolder()
    let result = try await ChildProcess(
      "sh", ["-e", "-c", String(page[start..<end])],
      environment: ["PATH": "\(Tool.products):/usr/bin:/bin", "HOME": "/nonexistent"], directory: folder.path
    ).result()
    #expect(result.status == 0, "\(result.stderr)")
    let last = try #require(result.stdout.split(separator: "\n").last)
    #expect(try JSONValue.parse(String(last))["verified"] == true)
  }
}
