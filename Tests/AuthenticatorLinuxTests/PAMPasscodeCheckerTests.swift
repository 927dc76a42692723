import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorLinux
import TestMachine
import Testing

@Suite(.enabled(if: Skips.unless(PAMServices.module != nil), "pam_matrix (libpam-wrapper) is not installed"))
struct PAMPasscodeCheckerTests {
  private let services: PAMServices

  init() throws { services = try PAMServices() }

  private func checker(_ service: String = "device", user: String = "alice") -> PAMPasscodeChecker {
    PAMPasscodeChecker(service: service, directory: services.path, user: user)
  }

  private func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  @Test func theRightPasswordIsRight() async throws {
    #expect(await checker().state() == .ready)
    #expect(try await checker().check(secret("correct horse")))
  }

  @Test(arguments: ["correct hors", "correct horse ", "Correct horse", "x", "", "bob", "correct horse\0", "\0"])
  func anythingElseIsWrong(_ text: String) async throws {
    #expect(try await !checker().check(secret(text)))
  }

  @Test func lengthsBeyondPAMsAreWrong() async throws {
    for count in [510, 511, 512, 513, 100_000] {
      #expect(try await !checker().check(secret(String(repeating: "x", count: count))))
    }
  }

  @Test func anUnknownUserIsWrong() async throws {
    #expect(try await !checker(user: "eve").check(secret("correct horse")))
  }

  @Test func aMissingServiceIsNotReplacedByOther() async throws {
    let checker = checker("missing")
    #expect(await checker.state() == .notSet)
    await #expect(throws: AuthenticatorError(.passcodeNotSet)) { try await checker.check(secret("anything")) }
  }

  @Test(arguments: ["", "../device", "device/", "device\0"])
  func aServiceIsANameAndNoPath(_ name: String) async throws {
    let checker = checker(name)
    #expect(await checker.state() == .notSet)
    await #expect(throws: AuthenticatorError(.passcodeNotSet)) { try await checker.check(secret("correct horse")) }
  }

  @Test func theAccountPhaseCounts() async throws {
    await #expect(throws: AuthenticatorError(.lockedOut)) { try await checker("closed").check(secret("correct horse")) }
    #expect(try await !checker("closed").check(secret("wrong")))
  }

  @Test func aBrokenServiceOpensNothing() async throws {
    do {
      #expect(try await !checker("broken").check(secret("correct horse")))
    } catch let error as AuthenticatorError {
      #expect(error.code == .verifierUnavailable)
    }
  }

  @Test func checksMayOverlap() async throws {
    let checker = checker()
    let right = secret("correct horse")
    let wrong = secret("wrong")
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<8 {
        group.addTask { try await checker.check(index % 2 == 0 ? right : wrong) == (index % 2 == 0) }
      }
      for try await isAsExpected in group { #expect(isAsExpected) }
    }
  }

  @Test func theUserIsWhoeverRunsThis() {
    #expect(!PAMPasscodeChecker().user.isEmpty)
  }
}
