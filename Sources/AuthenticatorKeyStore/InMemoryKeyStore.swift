import AuthenticatorCore
import AuthenticatorCrypto

/// Keys that live as long as this object: for tests, and for processes that enroll anew at each start.
///
/// The same life cycle, gates, attempts and sealing as every other store of the package.
public final class InMemoryKeyStore: EngineBackedKeyStore {
  public let engine: KeyStoreEngine

  /// Makes an empty store.
  /// - Parameters:
  ///   - providers: what makes keys; hardware goes before software, otherwise in this order.
  ///   - scryptParameters: the cost of checking a PIN.
  ///   - attemptPolicy: how many wrong PINs a domain bears.
  /// - Throws: `invalidRequest` for a cost out of bounds; `storageFailed` when there is no randomness.
  public convenience init(
    environment: AuthenticatorEnvironment, providers: [any KeyProvider] = [SoftwareKeyProvider()],
    scryptParameters: ScryptParameters = .recommended, attemptPolicy: AttemptPolicy = .standard
  ) throws {
    try self.init(
      environment: environment, providers: providers, scryptParameters: scryptParameters,
      scryptBounds: .standard, attemptPolicy: attemptPolicy)
  }

  /// The same with other bounds, so that tests need not pay for a real derivation.
  package init(
    environment: AuthenticatorEnvironment, providers: [any KeyProvider] = [SoftwareKeyProvider()],
    scryptParameters: ScryptParameters, scryptBounds: ScryptBounds, attemptPolicy: AttemptPolicy = .standard
  ) throws {
    let head: StoreHead
    do {
      head = StoreHead(id: try environment.random(16), secret: SecretBytes(try environment.random(32)))
    } catch {
      throw AuthenticatorError.wrapping(error, as: .storageFailed, stage: "store.open")
    }
    engine = try KeyStoreEngine(
      backend: MemoryBackend(head: head),
      cipher: try StoreCipher(head: head, deviceSecret: nil, random: environment.random),
      environment: environment, providers: providers, scrypt: scryptParameters, scryptBounds: scryptBounds,
      attemptPolicy: attemptPolicy)
  }
}
