import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore

/// One demand on a key store, checked on a fresh one. A conformer of `KeyStore` passes all of them.
public struct KeyStoreCheck: Sendable, CustomStringConvertible {
  public let name: String
  let body: @Sendable (KeyStoreBench) async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (KeyStoreBench) async throws -> Void) {
    self.name = name
    self.body = body
  }

  public var description: String { name }

  /// Runs the check.
  /// - Throws: `Deviation` when the store does something else, or the error it threw unexpectedly.
  public func run(on bench: KeyStoreBench) async throws { try await body(bench) }

  /// Every check.
  public static let all: [KeyStoreCheck] =
    lifeCycle + undoing + queries + gates + secrets + providers + counters + domains + items
}

/// What a store did instead of what it owes.
public struct Deviation: Error, CustomStringConvertible {
  public let description: String
}

/// Throws unless the condition holds.
func demand(_ condition: Bool, _ what: String) throws {
  guard condition else { throw Deviation(description: what) }
}

/// Throws unless both are equal.
func demand<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
  guard value == expected else { throw Deviation(description: "\(what): \(value) instead of \(expected)") }
}

/// The value, which must not be nil.
func unwrap<Value>(_ value: Value?, _ what: String) throws -> Value {
  guard let value else { throw Deviation(description: "\(what) is missing") }
  return value
}

/// Throws unless the body throws an `AuthenticatorError` of this code; returns it.
@discardableResult
func demandError(
  _ code: AuthenticatorError.Code, _ what: String, _ body: () async throws -> some Any
) async throws -> AuthenticatorError {
  do { _ = try await body() } catch let error as AuthenticatorError {
    guard error.code == code else { throw Deviation(description: "\(what): \(error) instead of \(code)") }
    return error
  }
  throw Deviation(description: "\(what): no error instead of \(code)")
}
