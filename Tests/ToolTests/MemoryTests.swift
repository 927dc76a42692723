import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorSQLite
import DeviceAuthenticators
import Glibc
import KeyStoreBehavior
import TestMachine
import Testing
import ToolSupport

/// What a process that has bound a key under a PIN still has in its memory.
@Suite(.enabled(if: Skips.unless(geteuid() == 0), "another process's memory is root's to read"), .serialized)
struct MemoryTests {
  private static let pin = "31415926"

  private func start(_ bench: Bench, _ verb: [String], at server: PythonServer) throws -> PseudoTerminal {
    try PseudoTerminal(
      Tool.path,
      verb + ["--server", server.url, "--store", bench.store, "--answer", "NameCallback=mira", "--answer"]
        + ["PasswordCallback=correct horse"])
  }

  /// The request with the proof is on its way: nothing needs the PIN or the key any more.
  @Test func neitherPINNorKeyIsLeftWhileTheServerIsAsked() async throws {
    let bench = try await Bench()
    let proxy = try await PythonServer.proxy(to: bench.port, holding: "3:before")
    let tool = try start(bench, ["login", "--journey", "BindDevicePIN"], at: proxy)
    for question in ["New PIN:", "again:"] {
      try await tool.wait(for: question)
      tool.type(Self.pin)
    }
    try await waitUntil { proxy.isHolding }
    try await expectNothingSecret(in: tool.pid, bench)
    tool.send(SIGKILL)
    _ = try await tool.result()
  }

  /// The bind is done, and the tool removes the former key from the server.
  @Test func neitherPINNorKeyIsLeftAfterABind() async throws {
    let bench = try await Bench()
    // Name and password, PIN, and again for the rotation; then the server is asked for the list of devices.
    let proxy = try await PythonServer.proxy(to: bench.port, holding: "7:before")
    var tool = try start(bench, ["login", "--journey", "BindDevicePIN"], at: proxy)
    for question in ["New PIN:", "again:"] {
      try await tool.wait(for: question)
      tool.type(Self.pin)
    }
    #expect(try await tool.result().status == 0)
    tool = try start(bench, ["keys", "rotate", "--journey", "BindDevicePIN"], at: proxy)
    try await tool.wait(for: "PIN:")
    tool.type(Self.pin)
    try await waitUntil { proxy.isHolding }
    try await expectNothingSecret(in: tool.pid, bench)
    tool.send(SIGKILL)
    _ = try await tool.result()
  }

  private func expectNothingSecret(in pid: pid_t, _ bench: Bench) async throws {
    var needles = ["PIN": Array(Self.pin.utf8), "name": Array("NameCallback=mira".utf8)]
    let scalars = try await scalars(bench)
    #expect(!scalars.isEmpty)
    for (number, scalar) in scalars.enumerated() {
      needles["key \(number)"] = scalar
      // As OpenSSL keeps numbers.
      needles["key \(number), reversed"] = scalar.reversed()
    }
    let found = try ProcessMemory(of: pid).search(for: needles)
    // The search itself works: what is no secret is found.
    #expect(found == ["name"])
  }

  /// The private scalars of the keys under the PIN, read with it.
  private func scalars(_ bench: Bench) async throws -> [[UInt8]] {
    let recorder = MaterialRecorder()
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "test")
    let store = try await SQLiteKeyStore.open(
      path: bench.store, environment: environment, options: SQLiteKeyStore.Options(providers: [recorder]))
    for record in try await store.records(matching: .everything) {
      let domain = ApplicationPINAuthenticator.domain(of: record.owner)
      let opened = try await store.unlock(domain, with: SecretBytes(Array(Self.pin.utf8)))
      let ticket = VerificationTicket(
        verification: UserVerification(level: .verified, methods: [.applicationPIN], time: environment.now()),
        authorization: opened, operation: try OperationID(in: environment),
        expires: environment.uptime() + .seconds(60))
      // A key that was replaced signs no more; it is sealed all the same.
      guard [.active, .staged].contains(record.state) else { continue }
      _ = try await store.sign([1], with: record.tag, ticket: ticket)
    }
    return recorder.materials.map { Array($0.prefix(32)) }
  }
}
