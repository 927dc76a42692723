import AuthenticatorCore

/// A rule of a seam that a conformer breaks.
public struct ConformanceViolation: Hashable, Sendable, CustomStringConvertible {
  /// What every conformer owes, as a sentence.
  public let rule: String
  /// What was seen instead.
  public let seen: String

  public var description: String { "\(rule): \(seen)" }
}

/// Checks for those who bring an authenticator, a verifier, a key provider or a key store of their own.
///
/// Each is a plain function that returns what is wrong; an empty list is a pass. They throw only when what they need
/// of the test itself fails.
public enum ConformanceChecks {}

/// Collects violations.
final class ConformanceList {
  private(set) var violations: [ConformanceViolation] = []

  func expect(_ rule: String, _ holds: Bool, _ seen: @autoclosure () -> String = "it does not") {
    if !holds { violations.append(ConformanceViolation(rule: rule, seen: seen())) }
  }

  func expectEqual<Value: Equatable>(_ rule: String, _ value: Value, _ expected: Value) {
    expect(rule, value == expected, "\(value) instead of \(expected)")
  }

  /// The body must throw one of the codes.
  func expect<Value>(
    _ rule: String, throws codes: Set<AuthenticatorError.Code>, _ body: () async throws -> Value
  ) async {
    do {
      _ = try await body()
      expect(rule, false, "it succeeded")
    } catch let error as AuthenticatorError {
      expect(rule, codes.contains(error.code), "it threw \(error.code)")
    } catch {
      expect(rule, false, "it threw \(type(of: error))")
    }
  }

  /// The body must succeed; nil, and a violation, when it does not.
  func expect<Value>(_ rule: String, succeeds body: () async throws -> Value) async -> Value? {
    do {
      return try await body()
    } catch {
      expect(rule, false, "it threw \(error)")
      return nil
    }
  }
}
