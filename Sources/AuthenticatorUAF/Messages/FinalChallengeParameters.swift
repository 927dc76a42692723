import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// What ties a message to the TLS connection it came over (FIDO UAF Protocol, section "ChannelBinding"). Whatever the
/// app knows of its connection must be given.
public struct ChannelBinding: Hashable, Sendable {
  /// Base64url of the hash of the server's certificate.
  public var serverEndPoint: String?
  /// Base64url of the server's certificate, DER: 12,288 bytes at most.
  public var tlsServerCertificate: String?
  /// The Finished structure; deprecated.
  public var tlsUnique: String?
  /// A ChannelID key, `unused`, or nil where the TLS stack has none.
  public var cidPublicKey: String?

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

  /// Reads the JSON form, as web pages hand it over.
  /// - Throws: `invalidMessage`, naming the member: one that is unknown or no base64url would bind to nothing.
  public init(json: JSONValue) throws {
    let members = try MessageMembers(json, "channelBinding")
    let known: Set<String> = ["serverEndPoint", "tlsServerCertificate", "tlsUnique", "cid_pubkey"]
    if let unknown = members.object.members?.first(where: { !known.contains($0.name) }) {
      throw MessageMembers.error("channelBinding.\(unknown.name)", "is unknown")
    }
    func text(_ name: StaticString, _ count: ClosedRange<Int>) throws -> String? {
      guard let text = try members.optionalText(name, count) else { return nil }
      guard (try? Base64URL.decode(text))?.isEmpty == false else { throw members.malformed(name) }
      return text
    }
    serverEndPoint = try text("serverEndPoint", 1...1024)
    tlsServerCertificate = try text("tlsServerCertificate", 1...UAFLimits.tlsServerCertificateCharacters)
    tlsUnique = try text("tlsUnique", 1...1024)
    let cid = try members.optionalText("cid_pubkey", 1...1024)
    cidPublicKey = cid == "unused" ? cid : try text("cid_pubkey", 1...1024)
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if let serverEndPoint {
      writer.name("serverEndPoint")
      writer.write(serverEndPoint)
    }
    if let tlsServerCertificate {
      writer.name("tlsServerCertificate")
      writer.write(tlsServerCertificate)
    }
    if let tlsUnique {
      writer.name("tlsUnique")
      writer.write(tlsUnique)
    }
    if let cidPublicKey {
      writer.name("cid_pubkey")
      writer.write(cidPublicKey)
    }
    writer.endObject()
  }
}

/// The final challenge parameters: made once, sent as the text that was hashed (FIDO UAF Protocol, section
/// "FinalChallengeParams").
public struct FinalChallengeParameters: Hashable, Sendable {
  /// Base64url of the JSON form: what goes into `fcParams`, and what is hashed.
  public let text: String

  /// Serializes the parameters.
  /// - Parameter challenge: the server's text, as received.
  public init(appID: String, challenge: String, facetID: String, channelBinding: ChannelBinding) {
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writer.name("appID")
    writer.write(appID)
    writer.name("challenge")
    writer.write(challenge)
    writer.name("facetID")
    writer.write(facetID)
    writer.name("channelBinding")
    channelBinding.write(to: &writer)
    writer.endObject()
    text = Base64URL.encode(writer.bytes)
  }

  /// SHA-256 of the text itself, not of the JSON in it.
  public var hash: [UInt8] { SHA256.hash(text) }
}
