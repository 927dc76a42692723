import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Foundation
import TestVectors
import Testing

/// Stores that an earlier release wrote. They open and sign for ever.
@Suite struct FixtureTests {
  private func open(_ name: String, _ folder: TemporaryFolder) async throws -> SQLiteKeyStore {
    try folder.write(try Vectors.bytes("stores/" + name))
    // As an app would: with the bounds that are shipped.
    return try await SQLiteKeyStore.open(path: folder.store, environment: TestStore.environment())
  }

  @Test func theFirstSchemaVersionOpensAndSigns() async throws {
    let folder = try TemporaryFolder()
    let store = try await open("schema-1.authstore", folder)
    let records = try await store.records(matching: KeyQuery(instance: "https://am.example/am"))
    #expect(
      records.map(\.authenticator) == [
        .none, .biometricOnly, .biometricAllowFallback, .devicePasscode, .applicationPIN,
      ])
    #expect(records.map(\.algorithm) == [.es256, .es256, .es384, .edDSA, .es256])
    #expect(records.map(\.access.enrollment) == [.ignored, .currentSet, .compared, .ignored, .ignored])
    #expect(records[1].enrollmentState == EnrollmentState(digest: [UInt8](repeating: 0xA5, count: 32)))
    #expect(records.allSatisfy { $0.state == .active && $0.owner.party == "/alpha" })
    #expect(records.allSatisfy { $0.createdAt == UnixTime(milliseconds: 1_764_460_800_000) })
    #expect(records[0].externalID == Array("kid-none".utf8))
    #expect(records[0].attributes == Array("fixture".utf8))
    #expect(try await store.item(ItemName(owner: nil, name: "token")) == Array("item".utf8))
    #expect(try await store.advance(.key(records[0].tag)) > 1)

    let domain = SecretDomain(rawValue: "pin/alice")
    #expect(await code { try await store.unlock(domain, with: TestStore.secret("482914")) } == .userVerificationFailed)
    let opened = try await store.unlock(domain, with: TestStore.secret("482913"))
    for record in records {
      let methods: Set<VerificationMethod> =
        record.authenticator == .devicePasscode ? [.passcode] : [.fingerprint, .applicationPIN]
      #expect(try await TestStore.signs(store, record, TestStore.ticket(opened, methods)), "\(record.authenticator)")
    }
  }

  @Test func aRecordWithoutEnrollmentStateSigns() async throws {
    let folder = try TemporaryFolder()
    let store = try await open("no-domain-state.authstore", folder)
    let record = try #require(try await store.records(matching: .everything).first)
    #expect(record.authenticator == .biometricAllowFallback)
    #expect(record.access.enrollment == .compared)
    #expect(record.enrollmentState == nil)
    #expect(try await TestStore.signs(store, record, TestStore.ticket(.none, [.passcode])))
  }
}
