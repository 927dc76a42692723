import AuthenticatorCoding
import Testing
import ToolSupport

/// `keys check` on trusted devices.
@Suite struct TrustedDeviceCheckTests {
  private func check(_ bench: TrustedDeviceBench, _ more: String...) async throws -> (Int32, JSONValue) {
    try bench.person()
    let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    let result = try await Tool.run(
      ["keys", "check", "--server", bench.url, "--json"] + answers + more + bench.deviceOptions)
    return (result.status, try result.json())
  }

  /// Revokes from another installation of the same user.
  private func revokeElsewhere(_ id: String, _ bench: TrustedDeviceBench) async throws {
    let other = try TemporaryFolder()
    try other.write("device.json", #"{"version": 1, "sensor": "none", "enrolled": [], "passcode": null, "steps": []}"#)
    let elsewhere = ["--server", bench.url, "--store", other.file("keys.sqlite"), "--json"]
    let login = ["trusted-device", "login", "--identifier", "mira", "--password", "correct horse"]
    #expect(try await Tool.run(login + elsewhere).status == 0)
    #expect(try await Tool.run(["trusted-device", "revoke", id] + elsewhere).status == 0)
  }

  @Test(arguments: [true, false]) func asksTheServerAndSettles(isSignedIn: Bool) async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    let id = try #require(try await bench.enroll()["id"]?.stringValue)
    if !isSignedIn { #expect(try await bench.run("sign-out").0 == 0) }
    var (status, json) = try await check(bench)
    #expect(status == 0, "\(json.serializedString())")
    let words = json.arrayValue?.map { [$0["protocol"], $0["kid"], $0["server"]] }
    #expect(words == [["trusted-device", .string(id), "listed"]])
    (status, json) = try await check(bench, "--reconcile")
    #expect(status == 0)
    #expect(
      json["reconciled"]?["trustedDevices"] == [
        "askedServer": .bool(isSignedIn), "enrolled": [], "undone": 0, "removed": [], "revoked": [], "unclaimed": [],
        "pending": 0,
      ])

    try await revokeElsewhere(id, bench)
    (status, json) = try await check(bench)
    #expect(status == 1)
    #expect(json.arrayValue?.map { $0["server"] } == ["unlisted"], "looking deletes nothing")
    (status, json) = try await check(bench, "--reconcile")
    #expect(status == 0)
    #expect(json["keys"] == [])
    #expect(json["reconciled"]?["trustedDevices"]?["removed"] == [["id": .string(id), "reason": "missingOnServer"]])
    #expect(try await bench.keys().isEmpty)
    (status, json) = try await check(bench, "--reconcile")
    #expect(status == 0)
    #expect(json["reconciled"]?["trustedDevices"] == .null, "there is none left to ask about")
  }

  @Test func asksAboutThoseOfJourneys() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person(Bench.touch)
    let enroll = ["login", "--server", bench.url, "--journey", "EnrollTrustedDevice", "--answer", "NameCallback=mira"]
    let result = try await Tool.run(
      enroll + ["--answer", "PasswordCallback=correct horse", "--json"] + bench.deviceOptions)
    #expect(result.status == 0)
    var (status, json) = try await check(bench)
    #expect(status == 0, "\(json.serializedString())")
    #expect(json.arrayValue?.map { $0["server"] } == ["listed"])
    // Enrolled for one app, asked about as another.
    (status, json) = try await check(bench, "--app-id", "com.example.other")
    #expect(json.arrayValue?.map { $0["server"] } == [.null])
    let id = try #require(json[0]?["kid"]?.stringValue)
    try await revokeElsewhere(id, bench)
    (status, json) = try await check(bench)
    #expect(status == 1)
    #expect(json.arrayValue?.map { $0["server"] } == ["unlisted"])
  }

  /// At the Frontend API's address there is no journey to sign in by, and trusted devices need none.
  @Test func asksWhereThereAreNoJourneys() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person(Bench.touch)
    let url = "http://127.0.0.1:\(bench.port)"
    let check = ["keys", "check", "--server", url] + bench.deviceOptions
    _ = try await bench.login(at: url)
    #expect(try await bench.run("enroll", at: url).0 == 0)
    let plain = try await Tool.run(check)
    #expect(plain.status == 0)
    #expect(plain.stdout.contains("active, usable, listed"))
    #expect(plain.stderr.contains("only trusted devices were asked about"))
    let json = try await Tool.run(check + ["--reconcile", "--json"]).json()
    #expect(json["keys"]?[0]?["server"] == "listed")
    #expect(json["reconciled"]?["trustedDevices"]?["pending"] == 0)
  }

  @Test func saysItInWords() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    try await bench.enroll()
    let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    let plain = try await Tool.run(
      ["keys", "check", "--reconcile", "--server", bench.url] + answers + bench.deviceOptions)
    #expect(plain.status == 0)
    #expect(plain.stdout.contains("active, usable, listed"))
    #expect(plain.stderr.contains("trusted devices: 0 enrolled, 0 undone, 0 removed"))
  }
}
