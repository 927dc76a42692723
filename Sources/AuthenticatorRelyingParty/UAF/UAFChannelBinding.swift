internal import AuthenticatorCoding

/// What a server knows of the TLS connection that its messages go over (UAF Protocol 1.1 section 3.1.7,
/// "ChannelBinding"); each text as clients put it into the final challenge.
public struct UAFChannelBinding: Hashable, Sendable {
  /// Base64url of the hash of the server's certificate.
  public var serverEndPoint: String?
  /// Base64url of the server's certificate, DER; at most `maximumCertificateCharacters`.
  public var tlsServerCertificate: String?
  /// Base64url of the TLS Finished structure; deprecated.
  public var tlsUnique: String?
  /// `unused`, or base64url of the client's ChannelID key as JSON.
  public var cidPublicKey: String?

  /// The longest `tlsServerCertificate`: 12,288 bytes of DER. Clients send no longer one.
  public static let maximumCertificateCharacters = 16 * 1024
  /// The longest of the other texts.
  public static let maximumCharacters = 1024

  /// Nothing is known, unless said.
  public init(
    serverEndPoint: String? = nil, tlsServerCertificate: String? = nil, tlsUnique: String? = nil,
    cidPublicKey: String? = nil
  ) {
    self.serverEndPoint = serverEndPoint
    self.tlsServerCertificate = tlsServerCertificate
    self.tlsUnique = tlsUnique
    self.cidPublicKey = cidPublicKey
  }

  /// Reads the members under their names in messages. Throws `ExpectationError`, which names the member: an unknown
  /// one, or one that no client could send.
  init(_ members: ExpectationMembers) throws(ExpectationError) {
    try members.admit(Self.names)
    func text(_ name: String, _ limit: Int = Self.maximumCharacters) throws(ExpectationError) -> String? {
      guard let text = try members.optionalText(name) else { return nil }
      guard text.utf8.count <= limit, Self.isBytes(text) else { throw members.error(name) }
      return text
    }
    serverEndPoint = try text("serverEndPoint")
    tlsServerCertificate = try text("tlsServerCertificate", Self.maximumCertificateCharacters)
    tlsUnique = try text("tlsUnique")
    let cid = try members.optionalText("cid_pubkey")
    cidPublicKey = cid == "unused" ? cid : try text("cid_pubkey")
    guard self != UAFChannelBinding() else { throw members.error("serverEndPoint") }
  }

  private static let names: Set<String> = ["serverEndPoint", "tlsServerCertificate", "tlsUnique", "cid_pubkey"]

  private static func isBytes(_ text: String) -> Bool { (try? Base64URL.decode(text))?.isEmpty == false }

  /// What is known, under the names of messages.
  var known: [(name: String, value: String)] {
    [
      ("serverEndPoint", serverEndPoint), ("tlsServerCertificate", tlsServerCertificate), ("tlsUnique", tlsUnique),
      ("cid_pubkey", cidPublicKey),
    ].compactMap { name, value in value.map { (name, $0) } }
  }
}
