import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

/// The server's device list and what is here, removed together.
@Suite struct DevicesTests {
  private func registered(as user: String = "mira") async throws -> (kit: ServerKit, id: CredentialID) {
    let kit = try await ServerKit()
    #expect(try await kit.walk("RegisterWebAuthn", as: user, .match()).isSuccess)
    return (kit, try #require(try await kit.credentials().first?.id))
  }

  @Test func listsTheServersDevices() async throws {
    let (kit, id) = try await registered()
    let device = try #require(try await kit.devices().list().first)
    #expect(device.credentialID == id)
    #expect(device.deviceName == "Test device")
    #expect(device.createdAt == kit.device.environment.clock.now)
  }

  @Test func removesBothHalves() async throws {
    let (kit, id) = try await registered()
    let removal = try await kit.devices().delete(id)
    #expect(removal.isComplete)
    #expect(try await kit.devices().list().isEmpty)
    #expect(try await kit.credentials().isEmpty)
  }

  @Test func aSecondRemovalFindsNothing() async throws {
    let (kit, id) = try await registered()
    _ = try await kit.devices().delete(id)
    let removal = try await kit.devices().delete(id)
    guard case .absent = removal.remote, case .absent = removal.local else {
      Issue.record("\(removal)")
      return
    }
  }

  @Test func whatTheServerNoLongerListsIsRemovedHere() async throws {
    let (kit, id) = try await registered()
    let store = kit.device.store
    store.fail(.delete)
    let first = try await kit.devices().delete(id)
    #expect(first.remote.isDone && !first.local.isDone)
    store.repair()
    let second = try await kit.devices().delete(id)
    guard case .absent = second.remote, case .removed = second.local else {
      Issue.record("\(second)")
      return
    }
    #expect(try await kit.credentials().isEmpty)
  }

  @Test(arguments: [false, true])
  func withoutTheServerItGoesByForceOnly(_ force: Bool) async throws {
    let (kit, id) = try await registered()
    // Who is signed in, and the list; the deletion is lost.
    kit.transport.lose(.request, at: 2)
    let removal = try await kit.devices().delete(id, force: force)
    #expect(!removal.remote.isDone)
    #expect(removal.local.isDone == force)
    #expect(try await kit.credentials().isEmpty == force)
    #expect(try await kit.devices().list().count == 1)
  }

  @Test(arguments: [false, true])
  func anotherUsersCredentialGoesByForceOnly(_ force: Bool) async throws {
    let (kit, mira) = try await registered()
    #expect(try await kit.walk("RegisterWebAuthn", as: "noor", .match()).isSuccess)
    #expect(try await kit.sessionUser() == "noor")
    let removal = try await kit.devices().delete(mira, force: force)
    #expect(removal.local.isDone == force)
    #expect(try await kit.credentials().map(\.id).contains(mira) == !force)
  }

  @Test func aCredentialOfAnotherDeviceIsRemovedThere() async throws {
    let (kit, id) = try await registered()
    try await kit.configuration.platformAuthenticator().deleteCredential(id, of: ServerKit.party)
    let removal = try await kit.devices().delete(id)
    guard case .removed = removal.remote, case .absent = removal.local else {
      Issue.record("\(removal)")
      return
    }
  }

  @Test func needsASession() async throws {
    let (kit, id) = try await registered()
    try await kit.journey.logout()
    #expect(await thrown { try await kit.devices().list() }?.code == .invalidRequest)
    let removal = try await kit.devices().delete(id)
    #expect(!removal.remote.isDone && !removal.local.isDone)
  }

  @Test func refusesTheContextOfAnotherServer() async throws {
    let kit = try await ServerKit()
    var context = kit.device.context
    context.instance = "https://other.example.com/am"
    #expect(throws: AuthenticatorError(.invalidRequest)) { try WebAuthnDevices(kit.journey, context: context) }
  }

  @Test(
    arguments: [
      ["uuid": "1"], ["uuid": "1", "credentialId": "a*"], ["credentialId": "AA"], ["uuid": "1", "credentialId": ""], [],
    ] as [JSONValue])
  func anEntryThatNamesNothingSpoilsTheList(_ entry: JSONValue) async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(kit.configuration, node: node)
    try await kit.accept(node)
    kit.transport.add(json: ["id": "mira", "dn": "id=mira,ou=user"])
    kit.transport.add(json: ["result": [entry], "resultCount": 1])
    let devices = try WebAuthnDevices(kit.journey, context: kit.device.context)
    #expect(await thrown { try await devices.list() }?.code == .invalidMessage)
  }
}
