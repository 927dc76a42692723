import AuthenticatorCoding
import AuthenticatorCrypto

/// The parameters that a client hashes into an assertion (UAF Protocol 1.1 section 3.1.6, "FinalChallengeParams").
///
/// Authenticators hash the text as it was sent, so it is kept and never written anew.
struct UAFFinalChallenge {
  /// SHA-256 of the text.
  let hash: [UInt8]
  let appID: String
  let challenge: String
  let facetID: String
  let channelBinding: JSONObject

  /// The longest text of final challenge parameters: room for all members at their limits, a channel binding too.
  static let maximumCharacters = 32 * 1024

  private static let bindings: Set<String> = ["serverEndPoint", "tlsServerCertificate", "tlsUnique", "cid_pubkey"]

  /// Throws `finalChallengeMalformed`.
  init(_ text: String) throws(UAFVerificationError) {
    let limits = JSONLimits(
      bytes: Self.maximumCharacters * 3 / 4, depth: 4, textBytes: UAFChannelBinding.maximumCertificateCharacters,
      values: 32)
    guard let bytes = try? Base64URL.decode(text), let json = try? JSONValue.parse(bytes, limits: limits) else {
      throw UAFVerificationError(.finalChallengeMalformed, "no base64url of JSON")
    }
    let members = try UAFMembers(json, code: .finalChallengeMalformed)
    appID = try members.text("appID", 1...512)
    challenge = try members.text("challenge", 1...128)
    facetID = try members.text("facetID", 1...512)
    let binding = try members.members("channelBinding")
    for member in binding.object {
      guard Self.bindings.contains(member.name), member.value.stringValue?.isEmpty == false else {
        throw UAFVerificationError(.finalChallengeMalformed, "the channel binding has a member that is none")
      }
    }
    channelBinding = binding.object
    hash = SHA256.hash(Array(text.utf8))
  }
}
