import AuthenticatorKit
import AuthenticatorTestSupport
import Testing

/// Every protocol meets every authenticator: it works, or it is refused with a stated code for a stated reason.
@Suite struct MatrixTests {
  @Test func everyCellGivesItsExpectedResult() async throws {
    var cells = 0
    var refused = 0
    var table = ""
    for row in Matrix.rows {
      table += "\n\(row.name)\n"
      for type in AuthenticatorType.matrixColumns {
        let expected = row.expectation(of: type)
        let met = try await meet(row, type)
        #expect(met == expected, "\(row.name) × \(type)")
        cells += 1
        var line = "  \(type.rawValue)".padding(to: 28) + met.description
        if case .refused(_, let reason) = expected {
          refused += 1
          line = line.padding(to: 52) + reason
          #expect(!reason.isEmpty)
        }
        table += line + "\n"
      }
    }
    print(table)
    #expect(cells == 150)
    #expect(refused == 65)
    #expect(Set(Matrix.rows.map(\.family)) == [.deviceBinding, .webAuthn, .uaf, .trustedDevice])
  }

  /// Makes a key, then signs in with it; what is refused must have left nothing and asked nothing.
  private func meet(_ row: MatrixRow, _ type: AuthenticatorType) async throws -> Expectation {
    var terminal = try await Terminal(row)
    try terminal.put(type, behind: row.word)
    let bound = try await terminal.visit(row.journey)
    let keys = try await terminal.device.store.records(matching: .everything).filter { $0.state == .active }
    if let code = bound.code {
      #expect(keys.isEmpty)
      #expect(try await terminal.device.store.records(matching: .everything).isEmpty)
      #expect(terminal.device.verifier.prompts.isEmpty)
      #expect(!bound.isSignedIn)
      guard case .refused(_, let reason) = row.expectation(of: type) else { return .refused(code, because: "") }
      return .refused(code, because: reason)
    }
    #expect(bound.isSignedIn)
    #expect(keys.map(\.authenticator) == [type] && keys.map(\.owner.family) == [row.family])
    let signed = try await terminal.visit(row.signing)
    #expect(signed.isSignedIn)
    return signed.code.map { .refused($0, because: "") } ?? .works
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
