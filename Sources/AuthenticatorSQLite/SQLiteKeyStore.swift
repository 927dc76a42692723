import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore

/// Keys and their records in one SQLite file: the default store.
///
/// The file has mode 0600, and folders made for it 0700, whatever the umask. Several processes may use one store at
/// once. Every call that reports success has reached the disk.
///
/// **What a copied file gives away.** Identities, key material and items are encrypted, but the key for them lies in
/// the same file unless the app passes a device secret. So without one, whoever can read the file has every software
/// key that no PIN wraps, and all names; a PIN of four or six digits can be guessed in hours to days at the shipped
/// cost of derivation. With a 32-byte device secret kept elsewhere (sealed by a TPM, in the login keyring) the copied
/// file alone yields nothing, and no PIN can be guessed from it. In either case it shows how many keys, PIN domains
/// and items there are, their sizes and states, and which rows belong to the same server, party or account.
///
/// **On a full disk** keys sign and are listed; what would change the store throws `storageFailed` until there is room.
///
/// **What an altered file does.** A record that was edited, moved to another row or given foreign key material is
/// reported as `integrityFailed` and never signs. An older copy of the whole file cannot be told from the file.
///
/// **What is left behind.** Deleted keys and former PIN wraps are overwritten, and the log is emptied, before the call
/// returns; when another process is reading at that moment, at the next such call or when the last process closes.
public final class SQLiteKeyStore: EngineBackedKeyStore {
  /// How a store is opened.
  public struct Options: Sendable {
    /// What makes keys; hardware goes before software, otherwise in this order.
    public var providers: [any KeyProvider]
    /// The cost of checking a PIN; PINs set at a lower one are re-wrapped at their next use.
    public var scryptParameters: ScryptParameters
    /// How many wrong PINs a domain bears.
    public var attemptPolicy: AttemptPolicy
    /// How long to wait for another process before `busy`; at most an hour.
    public var busyTimeout: Duration
    /// 32 bytes that are kept outside the file; needed at every opening of a store that was made with them.
    public var deviceSecret: SecretBytes?
    /// Whether a missing store is made; otherwise it is `storeMissing`.
    public var createIfMissing: Bool
    /// Opens without writing: keys sign, and everything that would change the store throws `storageFailed`. Implied
    /// by a read-only file system, by a file whose mode does not let its owner write, and by a folder that nothing can
    /// be added to.
    public var isReadOnly: Bool

    package var scryptBounds = ScryptBounds.standard
    package var schema = Schema.current
    package var counterBlock = StoreLimits.counterBlock

    /// The defaults: software keys, the recommended derivation, 5 s of patience, no device secret.
    public init(
      providers: [any KeyProvider] = [SoftwareKeyProvider()], scryptParameters: ScryptParameters = .recommended,
      attemptPolicy: AttemptPolicy = .standard, busyTimeout: Duration = .seconds(5),
      deviceSecret: SecretBytes? = nil, createIfMissing: Bool = true, isReadOnly: Bool = false
    ) {
      self.providers = providers
      self.scryptParameters = scryptParameters
      self.attemptPolicy = attemptPolicy
      self.busyTimeout = busyTimeout
      self.deviceSecret = deviceSecret
      self.createIfMissing = createIfMissing
      self.isReadOnly = isReadOnly
    }
  }

  public let engine: KeyStoreEngine
  private let backend: SQLiteBackend

  /// Opens the store at `path`, and finishes what a crash interrupted.
  ///
  /// - Throws: `storeMissing`; `notAStore` for a file that is none, belongs to someone else, has a second name, or is
  ///   a link, pipe or folder; `storeDamaged`; `storeNewer` for a later version, which is left untouched;
  ///   `integrityFailed` when the device secret does not fit; `busy`; `storageFailed` when the file system refuses;
  ///   `invalidRequest` for options out of bounds.
  public static func open(
    path: String, environment: AuthenticatorEnvironment, options: Options = Options()
  ) async throws -> SQLiteKeyStore {
    let random = environment.random
    let deviceSecret = options.deviceSecret
    let milliseconds = min(max(options.busyTimeout, .zero), .seconds(3600)) / .milliseconds(1)
    let source = StoreSource(
      path: path, schema: options.schema, isReadOnly: options.isReadOnly, createIfMissing: options.createIfMissing,
      busyTimeout: Int32(milliseconds)
    ) {
      do {
        let head = StoreHead(id: try random(16), secret: SecretBytes(try random(32)))
        let cipher = try StoreCipher(head: head, deviceSecret: deviceSecret, random: random)
        return (head, cipher.headCode(), Hex.encode(try random(8)))
      } catch {
        throw AuthenticatorError.wrapping(error, as: .storageFailed, stage: "store.create")
      }
    }
    let backend = try await SQLiteBackend.open(source)
    let cipher = try StoreCipher(head: backend.head, deviceSecret: deviceSecret, random: random)
    guard ConstantTime.equals(cipher.headCode(), backend.headCode) else {
      throw AuthenticatorError(
        .integrityFailed, stage: "store.open",
        reason: "the device secret is not the one this store was made with, or its head was altered")
    }
    let engine = try KeyStoreEngine(
      backend: backend, cipher: cipher, environment: environment, providers: options.providers,
      scrypt: options.scryptParameters, scryptBounds: options.scryptBounds, attemptPolicy: options.attemptPolicy,
      counterBlock: options.counterBlock)
    if backend.isDamaged {
      environment.emit(.recordSetAside(reason: .storeDamaged))
    } else {
      try await engine.recover()
    }
    return SQLiteKeyStore(engine: engine, backend: backend)
  }

  /// Opens the store at `path`; nil when there is none. Never makes one.
  /// - Throws: as `open`, except `storeMissing`.
  public static func openIfPresent(
    path: String, environment: AuthenticatorEnvironment, options: Options = Options()
  ) async throws -> SQLiteKeyStore? {
    var options = options
    options.createIfMissing = false
    do { return try await open(path: path, environment: environment, options: options) } catch let error
      as AuthenticatorError where error.code == .storeMissing
    {
      return nil
    }
  }

  private init(engine: KeyStoreEngine, backend: SQLiteBackend) {
    self.engine = engine
    self.backend = backend
  }

  /// Whether the file is damaged: keys that can be read may be used, nothing is written, and nothing counts as absent.
  public var isDamaged: Bool { backend.isDamaged }

  /// Writes the log back into the file and empties it.
  package func compact() async throws { try await backend.scrub() }

  /// Whether the store was opened without the right to change it.
  public var isReadOnly: Bool { !backend.isWritable }
}
