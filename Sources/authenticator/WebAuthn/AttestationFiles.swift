import AuthenticatorCrypto
import AuthenticatorRelyingParty
import AuthenticatorWebAuthn

/// A key that vouches for new credentials, and its certificates, in two files.
struct AttestationFiles: Sendable {
  let keyPath: String
  let chainPath: String

  static let options = [
    Option(
      "--attestation-key", .value("FILE"), "vouch for the credential with this private key (PEM)", readsInput: true),
    Option(
      "--attestation-chain", .value("FILE"), "its certificates (PEM), its own first, without the root", readsInput: true
    ),
  ]

  /// Nil when neither option is given.
  init?(_ arguments: Arguments) throws {
    let (key, chain) = (try arguments.text("--attestation-key"), try arguments.text("--attestation-chain"))
    guard let key, let chain else {
      guard key == nil, chain == nil else {
        throw Failure.usage("--attestation-key and --attestation-chain go together")
      }
      return nil
    }
    keyPath = key
    chainPath = chain
  }

  /// Reads both files. The leaf names the model when it has FIDO's extension for that.
  func load() throws -> (key: AttestationKey, aaguid: AAGUID) {
    let (keyText, chainText) = (try Self.text(keyPath), try Self.text(chainPath))
    let key = try Self.key(keyText, keyPath)
    let loaded = try Self.read(chainPath, "holds no certificates of \(InputFile.name(keyPath)), its own first") {
      let chain = try X509Certificate.certificates(pem: chainText)
      let model = try chain.first?.fidoAAGUID().flatMap { AAGUID($0) }
      return (try AttestationKey(certificates: chain.map(\.derRepresentation), key: key), model ?? .zero)
    }
    // What no relying party accepts is better refused now than at every registration.
    let complaint = AttestationFitness.complaint(about: try X509Certificate.certificates(pem: chainText))
    guard let complaint else { return loaded }
    throw Failure.unusable(
      "inputUnusable", "\(InputFile.name(chainPath)) cannot vouch for a credential: \(complaint)", stage: "attestation")
  }

  /// Tells a key that cannot be used from no key.
  private static func key(_ text: String, _ path: String) throws -> PrivateKey {
    do throws(CryptoError) { return try PrivateKey(pem: text) } catch {
      let isUnencrypted =
        text.contains("PRIVATE KEY-----") && !text.contains("ENCRYPTED") && error.libraryCode == nil
        && error.reason != "there is no unencrypted private key"
      throw Failure.unusable(
        "inputUnusable",
        InputFile.name(path)
          + (isUnencrypted
            ? " holds a private key that cannot be used here: \(error.reason)" : " holds no unencrypted private key"),
        stage: "attestation")
    }
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try InputFile.bytes(path), as: UTF8.self)
  }

  /// Whatever `body` throws becomes one line about the file.
  private static func read<Value>(_ path: String, _ complaint: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch {
      throw Failure.unusable("inputUnusable", "\(InputFile.name(path)) \(complaint)", stage: "attestation")
    }
  }
}
