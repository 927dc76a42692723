import AuthenticatorCoding
import AuthenticatorCore

/// A one-time challenge, as the server sent it.
public struct TrustedDeviceChallenge: Hashable, Sendable {
  /// The kind of object: `trusted_device_challenge`.
  public let object: String
  /// The random part, for display in no place; what is signed is `clientData`.
  public let challenge: String
  /// The server's name of the challenge.
  public let challengeID: String
  /// The credential that must answer; nil for an enrollment.
  public let trustedDeviceID: String?
  /// What is signed: its UTF-8 bytes exactly as received. Never taken apart here.
  public let clientData: String
  /// When it ends, on the server's clock.
  public let expiresAt: UnixTime
  /// What it must be signed with.
  public let algorithm: TrustedDevice.Algorithm

  /// Reads the server's object; the time may be in seconds or in milliseconds.
  /// - Throws: `invalidMessage`, naming the member.
  public init(_ json: JSONObject) throws {
    let reader = MemberReader(json, of: "challenge")
    object = try reader.optionalText("object") ?? "trusted_device_challenge"
    challenge = try reader.text("challenge")
    challengeID = try reader.text("challenge_id")
    trustedDeviceID = try reader.optionalText("trusted_device_id")
    clientData = try reader.text("client_data")
    expiresAt = try reader.time("expires_at")
    algorithm = TrustedDevice.Algorithm(rawValue: try reader.text("algorithm"))
  }

  /// Whether the person may be asked to sign it.
  /// - Parameters:
  ///   - id: the credential that is about to sign; nil while it is being enrolled.
  ///   - time: now, on the server's clock. A challenge that ends at this instant has ended.
  /// - Throws: `challengeMismatch` for another algorithm, another credential or nothing to sign; `challengeExpired`.
  public func check(signer id: String?, at time: UnixTime) throws {
    guard algorithm == .es256 else { throw Self.mismatch("is for another algorithm") }
    guard !clientData.isEmpty else { throw Self.mismatch("has nothing to sign") }
    if let trustedDeviceID, trustedDeviceID != id { throw Self.mismatch("is for another credential") }
    guard time < expiresAt else {
      throw AuthenticatorError(
        .challengeExpired, stage: "trustedDevice.challenge", reason: "it ended before it was used")
    }
  }

  private static func mismatch(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.challengeMismatch, stage: "trustedDevice.challenge", reason: "the challenge \(what)")
  }
}

extension TrustedDeviceChallenge: CustomStringConvertible, CustomReflectable {
  /// A fixed word: challenges do not belong in logs.
  public var description: String { "TrustedDeviceChallenge(redacted)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
