import AuthenticatorCoding
import Foundation
import Testing
import ToolSupport

/// The mark of an installation: keys that are found without it were an earlier one's.
@Suite struct TrustedDeviceInstallationTests {
  private static let otherApp = "com.example.other"

  /// A bench whose person has a home, with the store in its usual place.
  private struct Home {
    let bench: TrustedDeviceBench

    init() async throws {
      bench = try await TrustedDeviceBench {
        $0.appIdentifiers = ["org.example.authenticator", TrustedDeviceInstallationTests.otherApp]
      }
      try bench.person()
    }

    var environment: [String: String?] {
      let none: String? = nil
      return ["HOME": bench.folder.file("home"), "XDG_STATE_HOME": none]
    }

    var device: [String] {
      ["--device", "scripted:" + bench.folder.file("device.json"), "--allow-software-keys", "--json"]
    }

    func run(_ words: [String]) async throws -> ChildProcess.Result {
      try await Tool.run(words + device, environment: environment)
    }

    func run(_ verb: String, _ more: String...) async throws -> (Int32, JSONValue) {
      let result = try await run(["trusted-device", verb, "--server", bench.url] + more)
      return (result.status, try result.json())
    }

    func login(_ journey: String) async throws -> (Int32, JSONValue) {
      let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
      let result = try await run(["login", "--server", bench.url, "--journey", journey] + answers)
      return (result.status, try result.json())
    }

    func enroll(_ more: String...) async throws {
      let app = more.isEmpty ? [] : ["--app-identifier"] + more
      let login = ["login", "--server", bench.url, "--identifier", "mira", "--password", "correct horse"]
      #expect(try await run(["trusted-device"] + login + app).status == 0)
      try bench.person(Bench.touch)
      #expect(try await run(["trusted-device", "enroll", "--server", bench.url] + app).status == 0)
    }

    func keys() async throws -> [[JSONValue?]] {
      let json = try await run(["keys", "list"]).json()
      return json.arrayValue?.map { [$0["protocol"], $0["realm"]] } ?? []
    }

    /// The installation goes, the person's data stay.
    func reinstall() throws { try FileManager.default.removeItem(atPath: bench.folder.file("home/.local/state")) }
  }

  @Test func anEarlierInstallationsTrustedDevicesGo() async throws {
    let home = try await Home()
    try await home.enroll()
    try await home.enroll(Self.otherApp)
    try home.bench.person(Bench.touch)
    #expect(try await home.login("BindDevice").0 == 0)
    #expect(try await home.run("sign-out").0 == 0)
    #expect(try await home.run("availability").1["available"] == true)
    #expect(home.bench.folder.contents(of: "home/.local/state/authenticator/installation").count == 2)
    let before = try await home.keys()
    #expect(before.count == 3)

    try home.reinstall()
    var (status, json) = try await home.run("availability")
    #expect(status == 0)
    #expect(json["reason"] == "noLocalCredential")
    #expect(try await home.keys() == before, "looking deletes nothing")
    try home.bench.person(Bench.touch)
    let signIn = try await home.run(["trusted-device", "sign-in", "--server", home.bench.url])
    #expect(signIn.status == 1)
    #expect(try signIn.json()["error"] == "noLocalCredential")
    #expect(signIn.stderr.contains("keys of an earlier installation removed: 1; enroll this device again"))
    // The bound key and the other app's are not this app's trusted devices.
    let left = try await home.keys()
    #expect(left.count == 2)
    #expect(left.contains(["device-binding", "/"]))
    #expect(left.contains(["trusted-device", .string(Self.otherApp)]))

    // The new installation has its mark, and goes on.
    try await home.enroll()
    #expect(try await home.run("sign-out").0 == 0)
    try home.bench.person(Bench.touch)
    (status, json) = try await home.run("sign-in")
    #expect(status == 0)
    #expect(json["status"] == "complete")
  }

  @Test func journeysHeedTheMarkToo() async throws {
    let home = try await Home()
    try home.bench.person(Bench.touch)
    #expect(try await home.login("EnrollTrustedDevice").0 == 0)
    try home.bench.person(Bench.touch)
    #expect(try await home.run("sign-in").0 == 0, "enrolled in a journey by this very installation")
    #expect(try await home.run("sign-out").0 == 0)
    try home.reinstall()
    try home.bench.person(Bench.touch)
    let (status, json) = try await home.login("LoginTrustedDevice")
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["result"] == "noLocalCredential")
    #expect(try await home.keys().isEmpty)
    try home.bench.person(Bench.touch)
    #expect(try await home.login("EnrollTrustedDevice").0 == 0)
    try home.bench.person(Bench.touch)
    #expect(try await home.login("LoginTrustedDevice").0 == 0)
  }

  @Test func aStoreWithAPlaceOfItsOwnNeedsNoMark() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    try await bench.enroll()
    _ = try await bench.run("sign-out")
    #expect(rename(bench.folder.file("keys"), bench.folder.file("moved")) == 0)
    try bench.person(Bench.touch)
    let moved = bench.arguments("sign-in").map { $0 == bench.store ? bench.folder.file("moved/keys.sqlite") : $0 }
    #expect(try await Tool.run(moved).status == 0)
  }

  @Test func theFolderOfTheMarkCanBeNamed() async throws {
    let bench = try await TrustedDeviceBench()
    let mark = ["--installation", bench.folder.file("mark")]
    try bench.person()
    _ = try await Tool.run(bench.arguments("login", ["--identifier", "mira", "--password", "correct horse"] + mark))
    try bench.person(Bench.touch)
    #expect(try await Tool.run(bench.arguments("enroll", mark)).status == 0)
    #expect(bench.folder.contents(of: "mark").count == 1)
    #expect(try await Tool.run(bench.arguments("list", mark)).json()[0]?["current"] == true)
    // Where it cannot be told, nothing is removed.
    try bench.folder.write("file", "")
    let untold = try await Tool.run(bench.arguments("list", ["--installation", bench.folder.file("file/deeper")]))
    #expect(try untold.json()["error"] == "storageFailed")
    #expect(try await bench.keys().count == 1)
    let elsewhere = ["--installation", bench.folder.file("another")]
    #expect(try await Tool.run(bench.arguments("list", elsewhere)).json()[0]?["current"] == false)
    #expect(try await bench.keys().isEmpty)
  }
}
