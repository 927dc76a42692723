import AuthenticatorCore
import AuthenticatorJourney
import Foundation
import Testing

@Suite struct FileSessionStorageTests {
  /// A folder that goes with the test.
  private final class Folder {
    let path = NSTemporaryDirectory() + "authenticator-session-" + UUID().uuidString
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func file(_ name: String = "session") -> String { path + "/" + name }
    func mode(_ name: String = "session") throws -> Int {
      try #require(try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int)
    }
  }

  private let stored = StoredSession(
    instance: "https://am.example.com/am", realm: "/alpha",
    session: JourneySession(tokenID: "AQIC*x", successURL: "/enduser/?realm=/alpha", realm: "/alpha"),
    cookies: [
      Cookie(
        name: "a", value: "b", domain: "example.com", isHostOnly: false, path: "/", isSecure: true,
        expires: UnixTime(milliseconds: 1_800_000_000_000)),
      Cookie(
        name: "c", value: "", domain: "am.example.com", isHostOnly: true, path: "/am", isSecure: false, expires: nil),
    ])

  @Test func bringsBackWhatWasSaved() async throws {
    let folder = try Folder()
    let storage = FileSessionStorage(path: folder.file())
    #expect(try await storage.load() == nil)
    try await storage.save(stored)
    #expect(try await FileSessionStorage(path: folder.file()).load() == stored)
    var other = stored
    other.session = nil
    other.cookies = []
    try await storage.save(other)
    #expect(try await storage.load() == other)
    try await storage.clear()
    #expect(try await storage.load() == nil)
    try await storage.clear()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  /// In a process of its own: the umask belongs to all of it.
  @Test func makesFileForItsOwnerAlone() async {
    await #expect(processExitsWith: .success) {
      let folder = try Folder()
      umask(0)
      try await FileSessionStorage(path: folder.file("sub/session")).save(FileSessionStorageTests().stored)
      #expect(try folder.mode("sub/session") == 0o600)
      #expect(try folder.mode("sub") == 0o700)
    }
  }

  @Test func makesEveryMissingFolder() async throws {
    let folder = try Folder()
    let storage = FileSessionStorage(path: folder.file("a/b//c/session"))
    try await storage.prepare()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("a/b/c")).isEmpty)
    try await storage.save(stored)
    #expect(try await storage.load() == stored)
    for name in ["a", "a/b", "a/b/c"] { #expect(try folder.mode(name) == 0o700) }
  }

  @Test func tellsBeforehandWhatCannotBeWritten() async throws {
    let folder = try Folder()
    try Data().write(to: URL(fileURLWithPath: folder.file("text")))
    for name in ["text/session", "text", "."] {
      #expect(await code { try await FileSessionStorage(path: folder.file(name)).prepare() } == .storageFailed)
    }
    try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
    #expect(await code { try await FileSessionStorage(path: folder.file("folder")).prepare() } == .storageFailed)
    // What is there stays as it is.
    let storage = FileSessionStorage(path: folder.file())
    try await storage.save(stored)
    try await storage.prepare()
    #expect(try await storage.load() == stored)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["folder", "session", "text"])
  }

  @Test func refusesFileThatOthersMayRead() async throws {
    let folder = try Folder()
    let storage = FileSessionStorage(path: folder.file())
    try await storage.save(stored)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.file())
    #expect(await code { try await storage.load() } == .storageFailed)
    #expect(await code { try await storage.save(stored) } == .storageFailed)
  }

  @Test func refusesLinksAndFolders() async throws {
    let folder = try Folder()
    try await FileSessionStorage(path: folder.file("real")).save(stored)
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: folder.file("real"))
    let link = FileSessionStorage(path: folder.file("link"))
    #expect(await code { try await link.load() } == .storageFailed)
    #expect(await code { try await link.save(stored) } == .storageFailed)
    #expect(await code { try await link.clear() } == .storageFailed)
    #expect(try await FileSessionStorage(path: folder.file("real")).load() == stored)
    try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
    #expect(await code { try await FileSessionStorage(path: folder.file("folder")).load() } == .storageFailed)
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(await code { try await FileSessionStorage(path: folder.file("pipe")).load() } == .storageFailed)
  }

  @Test func refusesDamagedContent() async throws {
    let folder = try Folder()
    let storage = FileSessionStorage(path: folder.file())
    try await storage.save(stored)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
    for end in 0..<bytes.count {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file()))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes[..<end])
      try handle.close()
      #expect(await code { try await storage.load() } == .storageFailed)
    }
    for text in [
      #"{"version":2,"instance":"a","realm":"/","cookies":[]}"#, #"{"version":1,"instance":"a","realm":"/"}"#,
      #"{"version":1,"instance":"a","realm":"/","cookies":[{}]}"#,
      #"{"version":1,"instance":"a","realm":"/","cookies":[],"session":{"tokenId":"a\nb","successUrl":"","realm":""}}"#,
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file()))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file())
      #expect(await code { try await storage.load() } == .storageFailed)
    }
  }

  @Test func boundsTheFile() async throws {
    let folder = try Folder()
    let storage = FileSessionStorage(path: folder.file())
    try Data(repeating: 32, count: 1 << 19).write(to: URL(fileURLWithPath: folder.file()))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file())
    #expect(await code { try await storage.load() } == .storageFailed)
  }

  @Test func carriesSignInFromRunToRun() async throws {
    let folder = try Folder()
    let first = try TestClient(storage: FileSessionStorage(path: folder.file()))
    _ = try await first.start(Wire.success)
    let second = try TestClient(storage: FileSessionStorage(path: folder.file()))
    #expect(try await second.journey.session?.tokenID == "token-1")
    second.transport.add(json: ["result": "x"])
    try await second.journey.logout()
    #expect(!FileManager.default.fileExists(atPath: folder.file()))
  }
}
