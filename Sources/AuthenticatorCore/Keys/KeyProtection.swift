/// Where a key is and how it is held: a fact about a key that exists, never a wish.
public struct KeyProtection: Hashable, Sendable {
  /// Open, because providers are.
  public struct Residence: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// In this process's memory while used; sealed in the store.
    public static let software = Residence(rawValue: "software")
    /// In a TPM 2.0.
    public static let tpm = Residence(rawValue: "tpm")
    /// In a PKCS#11 token.
    public static let pkcs11 = Residence(rawValue: "pkcs11")
    /// In an Apple Secure Enclave.
    public static let secureEnclave = Residence(rawValue: "secureEnclave")
  }

  /// What holds the key.
  public var residence: Residence
  /// False for software, and for emulators of hardware.
  public var isHardware: Bool
  /// Whether the key is encrypted under a secret the person knows.
  public var isSecretWrapped: Bool

  /// Makes the fact; called by key stores.
  public init(residence: Residence, isHardware: Bool, isSecretWrapped: Bool) {
    self.residence = residence
    self.isHardware = isHardware
    self.isSecretWrapped = isSecretWrapped
  }

  /// The word the command-line tool prints: the residence, or `softwarePINWrapped`.
  public var name: String {
    isSecretWrapped ? "\(residence.rawValue)PINWrapped" : residence.rawValue
  }
}
