public import AuthenticatorCore

extension WebAuthnConfiguration {
  /// The most bytes an origin has.
  public static let maximumOriginSize = 2048

  /// Refuses what no ceremony could ever match, so that it is told at the start and by its name.
  ///
  /// Throws `AuthenticatorError.Code.invalidRequest`, stage `webauthn`.
  public func check() throws(AuthenticatorError) {
    if let relyingPartyID, let fault = Self.fault(ofRelyingPartyID: relyingPartyID) {
      throw Self.refuse("the relying party ID '\(Self.shown(relyingPartyID))' \(fault)")
    }
    for origin in origins.sorted() {
      if let fault = Self.fault(ofOrigin: origin) { throw Self.refuse("the origin '\(Self.shown(origin))' \(fault)") }
    }
  }

  private static func refuse(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "webauthn", reason: reason)
  }

  /// What keeps a text from being a relying party ID; nil: nothing.
  static func fault(ofRelyingPartyID text: String) -> String? {
    isDomain(text) ? nil : "is no domain name in lower case, without scheme, port and path"
  }

  /// A domain name in lower-case ASCII whose last label is no number, since such a host is an address.
  private static func isDomain(_ text: String) -> Bool {
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...253).contains(text.utf8.count), let last = labels.last else { return false }
    let isPlain = labels.allSatisfy { label in
      (1...63).contains(label.count)
        && label.allSatisfy { byte in
          switch byte {
          case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
          default: false
          }
        }
    }
    return isPlain && !last.allSatisfy { (0x30...0x39).contains($0) } && !last.starts(with: Array("0x".utf8))
  }

  /// What keeps a text from being the origin of anything; nil: nothing.
  static func fault(ofOrigin text: String) -> String? {
    guard (1...maximumOriginSize).contains(text.utf8.count) else { return "has no or too many characters" }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return "has spaces or control characters" }
    // The answers of a journey are divided by two colons.
    guard WebAuthnOutcome.parts(text).count == 1 else {
      return "has two colons in a row, which would take an answer apart wrongly"
    }
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
      return "has no scheme; a web origin is like https://app.example.com"
    }
    guard ["http", "https"].contains(text[..<colon].lowercased()) else { return nil }
    guard let url = try? WebURL(text), let web = OwnOrigins(address: text)?.address else {
      return "is no web origin like https://app.example.com"
    }
    guard web == text else { return "is not as browsers write it; '\(web)' is" }
    guard isDomain(url.host) else { return "is at an address; browsers want a name" }
    let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost")
    return url.scheme == "https" || isLocal ? nil : "is not secure; only localhost may be without https"
  }

  /// Short, and on one line.
  private static func shown(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
      .prefix(100).description
  }
}
