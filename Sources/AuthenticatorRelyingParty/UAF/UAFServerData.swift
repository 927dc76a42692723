import AuthenticatorCoding
import AuthenticatorCrypto

/// What a relying party tells itself in a request's server data, so that it keeps nothing for people who have not
/// answered: JSON with a code (HMAC-SHA-256) that only it can make, over the challenge too.
struct UAFServerData: Hashable {
  let operation: UAFServerOperation
  /// As it stands in the request.
  let challenge: String
  /// Whose request it is; nil: nobody's in particular.
  let subject: String?
  /// What it was made for; a request of one purpose is none of another.
  let context: String
  /// In milliseconds since 1970-01-01T00:00:00Z.
  let expiresAt: Int64
  /// SHA-256 of each form of the transaction.
  let transactionHashes: [[UInt8]]

  private static let codeBytes = 32

  func sealed(with key: SecretBytes) -> String {
    var object: JSONObject = [
      "o": .string(operation.rawValue), "c": .string(challenge), "x": .string(context), "e": .integer(expiresAt),
    ]
    if let subject { object["s"] = .string(subject) }
    if !transactionHashes.isEmpty {
      object["t"] = .array(transactionHashes.map { .string(Base64URL.encode($0)) })
    }
    let bytes = object.serialized()
    return Base64URL.encode(bytes + HMACSHA256.authenticationCode(for: bytes, key: key))
  }

  init(
    operation: UAFServerOperation, challenge: String, subject: String?, context: String, expiresAt: Int64,
    transactionHashes: [[UInt8]]
  ) {
    self.operation = operation
    self.challenge = challenge
    self.subject = subject
    self.context = context
    self.expiresAt = expiresAt
    self.transactionHashes = transactionHashes
  }

  /// Nil: nobody who has the key made it.
  init?(sealed text: String, key: SecretBytes) {
    guard text.utf8.count <= UAFReceivedHeader.serverDataLength.upperBound, let bytes = try? Base64URL.decode(text),
      bytes.count > Self.codeBytes
    else { return nil }
    let content = bytes.dropLast(Self.codeBytes)
    guard HMACSHA256.isValid(Array(bytes.suffix(Self.codeBytes)), for: content, key: key),
      let json = try? JSONValue.parse(content),
      let operation = json["o"]?.stringValue.flatMap(UAFServerOperation.init(rawValue:)),
      let challenge = json["c"]?.stringValue, let context = json["x"]?.stringValue, let expiry = json["e"]?.intValue
    else { return nil }
    let hashes = (json["t"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { try? Base64URL.decode($0) } }
    self.init(
      operation: operation, challenge: challenge, subject: json["s"]?.stringValue, context: context,
      expiresAt: Int64(expiry), transactionHashes: hashes)
  }
}
