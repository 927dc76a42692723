import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// The identifier under which a server lists this device: random, made once for each server, kept in the key store.
///
/// Stored rather than computed from the device, so that nothing a system update changes can change it, and so that
/// two servers cannot compare theirs.
public struct DeviceIdentity: Sendable {
  private let context: AuthenticatorContext

  /// The identity towards the context's instance.
  public init(_ context: AuthenticatorContext) { self.context = context }

  /// 64 hexadecimal digits; made and stored when there is none.
  /// - Throws: `storageFailed`; `integrityFailed` when what is stored is no identifier.
  public func identifier() async throws -> String {
    let digest = Base64URL.encode(SHA256.hash(Array(context.instance.utf8)))
    let name = ItemName(owner: nil, name: "device-binding.device-id." + digest)
    return try Self.text(
      try await context.keyStore.item(name, orMaking: { try context.environment.random(32) }))
  }

  private static func text(_ bytes: [UInt8]) throws -> String {
    guard bytes.count == 32 else { throw AuthenticatorError(.integrityFailed, stage: "deviceID") }
    return Hex.encode(bytes)
  }
}
