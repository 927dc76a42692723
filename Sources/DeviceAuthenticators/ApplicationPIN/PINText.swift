import AuthenticatorCore
import AuthenticatorCrypto
// Unicode's compatibility normalization is in Foundation alone.
import Foundation

/// A PIN as it was typed, brought into the one form that is derived from: NFKC (UAX 15), so that the same text typed
/// on another keyboard gives the same bytes.
enum PINText {
  /// What is longer is no PIN, whatever the policy.
  static let maximumBytes = 1024

  /// - Throws: `pinRejected` for text that is not UTF-8, empty, or beyond `maximumBytes`.
  static func normalized(_ typed: SecretBytes) throws -> SecretBytes {
    guard (1...maximumBytes).contains(typed.count) else { throw rejected("empty or too long") }
    // ASCII is its own normal form; no text is made of it that would linger in memory.
    if typed.withUnsafeBytes({ $0.allSatisfy { $0 < 0x80 } }) { return typed }
    guard let text = typed.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
      throw rejected("not UTF-8")
    }
    let bytes = Array(text.precomposedStringWithCompatibilityMapping.utf8)
    // One character may become eighteen (U+FDFA).
    guard bytes.count <= 18 * maximumBytes else { throw rejected("too long") }
    return SecretBytes(bytes)
  }

  /// Checks a normalized PIN.
  /// - Throws: `pinRejected`.
  static func check(_ pin: SecretBytes, against policy: PINPolicy) throws {
    guard pin.count <= policy.maximumBytes else { throw rejected("longer than \(policy.maximumBytes) bytes") }
    let characters = pin.withUnsafeBytes { String(decoding: $0, as: UTF8.self).count }
    guard characters >= policy.minimumCharacters else {
      throw rejected("shorter than \(policy.minimumCharacters) characters")
    }
  }

  private static func rejected(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.pinRejected, stage: "pin", reason: "the PIN is \(reason)")
  }
}
