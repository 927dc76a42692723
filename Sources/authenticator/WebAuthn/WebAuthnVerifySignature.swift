import AuthenticatorCoding
import AuthenticatorRelyingParty

/// `webauthn verify-signature`: checks one signature.
struct WebAuthnVerifySignature: Verb {
  static let syntax = Syntax(
    "webauthn", "verify-signature", summary: "check one signature with a COSE key",
    options: [
      Option(
        "--key", .value("COSE"), "the key: base64url, as verify-registration prints it, or a file", readsInput: true),
      Option("--message", .value("FILE"), "what was signed; - is standard input", readsInput: true),
      Option("--signature", .value("FILE"), "the signature in WebAuthn's form: DER for ECDSA", readsInput: true),
    ],
    notes: [
      """
      Exit status: 0 the signature is one of this message by this key, 1 it is not, or the key is malformed, 2 usage,
      3 a file that cannot be read.
      """
    ])

  private let key: String
  private let messagePath: String
  private let signaturePath: String

  init(_ arguments: Arguments) throws {
    key = try arguments.required("--key")
    messagePath = try arguments.required("--message")
    signaturePath = try arguments.required("--signature")
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let coseBytes = try coseBytes()
    let (message, signature) = (try InputFile.bytes(messagePath), try InputFile.bytes(signaturePath))
    return try VerificationOutcome {
      let key = try WebAuthnPublicKey(coseBytes: coseBytes)
      guard key.isValidSignature(signature, for: message) else {
        throw WebAuthnVerificationError(.signatureInvalid, "the signature is not one of this message by this key")
      }
      return ["verified": true, "algorithm": .integer(Int64(key.algorithm))]
    }.print(on: console)
  }

  /// Text that is the base64url of a CBOR map is the key itself; everything else names a file, with the key as bytes or
  /// as such a text.
  private func coseBytes() throws -> [UInt8] {
    if let bytes = Self.map(key) { return bytes }
    let bytes = try InputFile.bytes(key)
    return String(validating: bytes, as: UTF8.self).flatMap(Self.map) ?? bytes
  }

  private static func map(_ text: String) -> [UInt8]? {
    let text = text.filter { !$0.isWhitespace }
    guard let bytes = try? Base64URL.decode(text, padding: .tolerated), let first = bytes.first,
      first & 0xE0 == 0xA0
    else { return nil }
    return bytes
  }
}
