internal import AuthenticatorCore

/// What is fixed for a credential's life: sealed with its key, so that it cannot be edited in the store.
///
/// A few bytes of fixed layout, because every assertion reads them: version, flags, protection level, length and
/// content of the blob.
struct CredentialAttributes: Hashable, Sendable {
  struct Flags: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let discoverable = Flags(rawValue: 0x01)
    static let backupEligible = Flags(rawValue: 0x02)
    static let hmacSecret = Flags(rawValue: 0x04)
    static let largeBlob = Flags(rawValue: 0x08)
  }

  private static let version: UInt8 = 1
  /// The greatest size of a `credBlob`.
  static let maximumBlobSize = 255

  var flags: Flags
  var protection: CredentialProtectionPolicy
  /// The content of the credBlob extension; empty when there is none.
  var blob: [UInt8]

  init(flags: Flags, protection: CredentialProtectionPolicy, blob: [UInt8] = []) {
    self.flags = flags
    self.protection = protection
    self.blob = blob
  }

  /// - Throws: `integrityFailed` for bytes this version has not written.
  init(_ record: KeyRecord) throws {
    let bytes = record.attributes
    guard bytes.count >= 4, bytes[0] == Self.version, bytes.count == 4 + Int(bytes[3]),
      let protection = CredentialProtectionPolicy(rawValue: Int(bytes[2]))
    else { throw AuthenticatorError(.integrityFailed, stage: "credential", reason: "the attributes are unreadable") }
    flags = Flags(rawValue: bytes[1])
    self.protection = protection
    blob = bytes.count == 4 ? [] : Array(bytes[4...])
  }

  var encoded: [UInt8] {
    [Self.version, flags.rawValue, UInt8(protection.rawValue), UInt8(truncatingIfNeeded: blob.count)] + blob
  }
}
