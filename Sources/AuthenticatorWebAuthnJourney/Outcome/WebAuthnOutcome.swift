import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// The text that answers a WebAuthn step: it goes into the hidden field `webAuthnOutcome`.
///
/// Parts are joined by `::`; bytes are signed decimal numbers joined by commas. Servers that say so take the text
/// inside a JSON object, beside the authenticator's attachment. Errors are never wrapped.
public struct WebAuthnOutcome: RawRepresentable, Hashable, Sendable {
  /// The text on the wire.
  public let rawValue: String

  /// Takes a text as it is.
  public init(rawValue: String) { self.rawValue = rawValue }

  static let separator = "::"
  private static let maximumDeviceNameBytes = 255

  /// The outcome of a registration.
  /// - Parameters:
  ///   - deviceName: what the server lists the device as; cleaned, so that it is one part. Empty: the server's own
  ///     name.
  ///   - asJSON: whether the server said that it reads the JSON form.
  /// - Throws: `invalidRequest` for client data that the server would take apart wrongly (`::` in an origin), or that
  ///   is no text.
  public init(_ response: RegistrationResponse, deviceName: String = "", asJSON: Bool) throws {
    var parts = [
      try Self.clientData(response.clientDataJSON), SignedBytes.encode(response.attestationObject),
      response.id.base64URLEncodedString(),
    ]
    let name = Self.cleaned(deviceName)
    if !name.isEmpty { parts.append(name) }
    self.init(parts, response.authenticatorAttachment, asJSON: asJSON)
  }

  /// The outcome of an authentication.
  /// - Throws: as `init(_:deviceName:asJSON:)`.
  public init(_ response: AuthenticationResponse, asJSON: Bool) throws {
    var parts = [
      try Self.clientData(response.clientDataJSON), SignedBytes.encode(response.authenticatorData),
      SignedBytes.encode(response.signature), response.id.base64URLEncodedString(),
    ]
    if let handle = response.userHandle { parts.append(Self.userHandle(handle)) }
    self.init(parts, response.authenticatorAttachment, asJSON: asJSON)
  }

  private init(_ parts: [String], _ attachment: AuthenticatorAttachment?, asJSON: Bool) {
    let text = parts.joined(separator: Self.separator)
    guard asJSON else {
      rawValue = text
      return
    }
    let object: JSONObject = [
      "legacyData": .string(text),
      "authenticatorAttachment": attachment.map { .string($0.rawValue) } ?? .null,
    ]
    rawValue = object.serializedString()
  }

  // MARK: Parts

  /// The client data byte for byte: its hash was signed.
  private static func clientData(_ bytes: [UInt8]) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw refused("the client data is no text") }
    guard !hasSeparator(bytes) else { throw refused("the client data contains the separator of the outcome") }
    return text
  }

  private static func refused(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "webauthn.outcome", reason: reason)
  }

  /// One part, whatever the app or the person put into the name: without control characters, every run of colons
  /// shortened to one, 255 bytes at most.
  static func cleaned(_ name: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars where scalar.properties.generalCategory != .control {
      if scalar == ":", scalars.last == ":" { continue }
      scalars.append(scalar)
    }
    var cut = ""
    for character in String(scalars) {
      guard cut.utf8.count + character.utf8.count <= maximumDeviceNameBytes else { break }
      cut.append(character)
    }
    return cut
  }

  /// Looks at bytes: where a mark is combined with the second colon, characters would hide it.
  static func hasSeparator(_ bytes: some Collection<UInt8>) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: ":") && $1 == UInt8(ascii: ":") }
  }

  /// The handle's own text when it is the server's (base64url), which decodes it to the user name; a handle of any
  /// other make is encoded.
  static func userHandle(_ bytes: [UInt8]) -> String {
    let isServersText = bytes.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
      default: false
      }
    }
    return isServersText ? String(decoding: bytes, as: UTF8.self) : Base64URL.encode(bytes)
  }
}

extension WebAuthnOutcome: CustomStringConvertible, CustomReflectable {
  /// The kind only: the text holds a proof.
  public var description: String {
    rawValue == Self.unsupported.rawValue || rawValue.hasPrefix("ERROR") ? rawValue : "WebAuthnOutcome"
  }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
