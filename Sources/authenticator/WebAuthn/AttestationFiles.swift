import AuthenticatorCore
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
  func load(at time: UnixTime) throws -> (key: AttestationKey, aaguid: AAGUID) {
    let key = try Self.key(try Self.text(keyPath), keyPath)
    let chain = try CertificateFile.certificates(try Self.text(chainPath), chainPath, stage: "attestation")
    guard let leaf = chain.first, (try? leaf.publicKey()) == key.publicKey else {
      throw refusal("holds no certificates of \(InputFile.name(keyPath)), its own first")
    }
    // What no relying party accepts is better refused now than at every registration.
    if let complaint = AttestationFitness.complaint(about: chain, at: time.milliseconds / 1000) {
      throw refusal("cannot vouch for a credential: \(complaint)")
    }
    do {
      let model = try leaf.fidoAAGUID()
      let key = try AttestationKey(certificates: chain.map(\.derRepresentation), key: key)
      return (key, model.flatMap { AAGUID($0) } ?? .zero)
    } catch let error as CryptoError { throw refusal("cannot vouch for a credential: \(error.reason)") }
  }

  private func refusal(_ complaint: String) -> Failure {
    Failure.unusable("inputUnusable", "\(InputFile.name(chainPath)) \(complaint)", stage: "attestation")
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
}
