import AuthenticatorCoding
import AuthenticatorCore
import Synchronization

/// The name of this installation towards its server: random, made once for each app and server, kept in the key store,
/// so that it goes when the keys go.
package final class InstallationIdentity: Sendable {
  private let context: AuthenticatorContext
  private let name: ItemName
  private let known = Mutex<String?>(nil)

  package init(_ context: AuthenticatorContext, scope: CredentialScope) {
    self.context = context
    name = scope.item("installation")
  }

  /// 32 hexadecimal digits; made when there is none.
  /// - Throws: `storageFailed`; `integrityFailed` when what is stored is no identifier.
  package func identifier() async throws -> String {
    if let known = known.withLock({ $0 }) { return known }
    let stored = try await context.keyStore.item(name, orMaking: { try context.environment.random(16) })
    guard stored.count == 16 else {
      throw AuthenticatorError(.integrityFailed, stage: "trustedDevice.installation")
    }
    let text = Hex.encode(stored)
    known.withLock { $0 = text }
    return text
  }
}
