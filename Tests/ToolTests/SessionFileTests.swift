import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// `--session-file`.
@Suite struct SessionFileTests {
  private let folder: TemporaryFolder
  private var file: String { folder.file("session.json") }

  init() throws { folder = try TemporaryFolder() }

  private func login(_ server: PythonServer, _ more: String...) async throws -> ChildProcess.Result {
    try await Tool.run(["login", "--server", server.url, "--session-file", file, "--json"] + more)
  }

  @Test func keepsTheSessionPrivatelyAndSendsItNextTime() async throws {
    let server = try await PythonServer.answering(Canned.success, Canned.success)
    #expect(try await login(server).status == 0)
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try await login(server).status == 0)
    let fields = server.requests.map { $0["fields"]?["iPlanetDirectoryPro"] }
    #expect(fields == [nil, "tok.en*1"])
  }

  @Test func aFailedStepUpKeepsTheSession() async throws {
    let server = try await PythonServer.answering(Canned.success, Canned.loginFailure)
    #expect(try await login(server).status == 0)
    let before = TemporaryFolder.read(file)
    #expect(try await login(server).status == 1)
    #expect(TemporaryFolder.read(file) == before)
  }

  @Test func nothingIsKeptWithoutAToken() async throws {
    let server = try await PythonServer.answering(Canned.answer(["successUrl": "/", "realm": "/"]))
    #expect(try await login(server, "--no-session").status == 0)
    #expect(TemporaryFolder.read(file) == nil)
  }

  @Test func anotherServersSessionIsNotSent() async throws {
    let one = try await PythonServer.answering(Canned.success)
    let other = try await PythonServer.answering(Canned.success)
    #expect(try await login(one).status == 0)
    #expect(try await login(other).status != 0)
    #expect(other.requests.isEmpty)
  }

  @Test func makesMissingFoldersLikeTheStore() async throws {
    let server = try await PythonServer.answering(Canned.success)
    let path = folder.file("a/b/session.json")
    let result = try await Tool.run(["login", "--server", server.url, "--session-file", path, "--json"])
    #expect(result.status == 0)
    var status = stat()
    #expect(stat(folder.file("a"), &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func anUnusableFileIsToldBeforeAnythingIsSent() async throws {
    let server = try await PythonServer.answering(Canned.success)
    try folder.write("text", "x")
    for path in [folder.file("text/session.json"), "/proc/none/session.json", folder.path] {
      let result = try await Tool.run(["login", "--server", server.url, "--session-file", path, "--json"])
      #expect(result.status == 3)
      #expect(try result.json()["message"]?.stringValue?.contains(path) == true, "the file is named")
    }
    #expect(server.requests.isEmpty)
  }

  @Test func refusesFilesThatAreNotItsOwn() async throws {
    let server = try await PythonServer.answering(["status": 200, "repeat": true, "body": ["realm": "/"]])
    try folder.write("session.json", "not a session")
    #expect(try await login(server).status == 3)
    try folder.write("session.json", "{}")
    #expect(try await login(server).status == 3)
    #expect(unlink(file) == 0)
    try folder.write("target", "{}")
    #expect(symlink(folder.file("target"), file) == 0)
    #expect(try await login(server).status == 3)
    #expect(unlink(file) == 0)
    try folder.write("session.json", "{}", mode: 0o644)
    #expect(chmod(file, 0o644) == 0)
    #expect(try await login(server).status == 3)
    #expect(server.requests.isEmpty)
  }
}
