import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorUAF

extension FuzzTarget {
  /// UAF assertions: strict TLV, which reads back what stands in it.
  static let uafAssertion = FuzzTarget(name: "uaf-assertion", maximumLength: 4096) { bytes in
    if let element = try? TLVElement(bytes) {
      try expect(element.rawBytes == bytes, "an element keeps its bytes")
      try expect(element.value.count + 4 == bytes.count, "an element fills the input")
    }
    if let assertion = try? RegistrationAssertion(bytes) {
      try expect(bytes.count > assertion.signedBytes.count, "what is signed stands inside")
      try expect(assertion.keyRegistrationData.info.mode == .userVerified, "registrations have one mode")
    }
    if let assertion = try? AuthenticationAssertion(bytes) {
      try expect(assertion.signedData.nonce.count >= 8, "nonces have eight bytes or more")
      let hasHash = !assertion.signedData.transactionContentHash.isEmpty
      try expect(
        hasHash == (assertion.signedData.info.mode == .transactionConfirmed), "only transactions have a hash")
    }
  }

  /// Commands to authenticators.
  static let uafCommand = FuzzTarget(name: "uaf-command", maximumLength: 4096) { bytes in
    guard let command = try? UAFCommand(bytes) else { return }
    try expect(try UAFCommand(command.encoded()) == command, "a command reads back as it was written")
  }

  /// What authenticators answer to commands.
  static let uafCommandResponse = FuzzTarget(name: "uaf-command-response", maximumLength: 4096) { bytes in
    guard let response = try? UAFCommandResponse(bytes) else { return }
    try expect(try UAFCommandResponse(response.encoded()) == response, "an answer reads back as it was written")
  }

  /// Lists of trusted facets: whatever stands in one, it speaks for origins of its own domain only.
  static let uafFacets = FuzzTarget(name: "uaf-facets", maximumLength: 4096) { bytes in
    let appID = try WebURL("https://rp.example/uaf/facets")
    try await onlyAuthenticatorErrors {
      let list = try TrustedFacetList(bytes, appID: appID, rules: .sameHost)
      try expect(!list.names("https://evil.example", version: .v11), "a list names its own domain")
      try expect(!list.names("http://rp.example", version: .v11), "plain http is no facet")
      for entry in (try? JSONValue.parse(bytes))?["trustedFacets"]?.arrayValue ?? [] {
        for id in entry["ids"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
          guard let origin = try? WebURL(id), origin.scheme == "https", origin.host != appID.host else { continue }
          let isNamed = [UAFVersion.v10, .v11].contains { list.names(id, version: $0) }
          try expect(!isNamed, "an origin of another domain is not trusted")
        }
      }
    }
  }

  /// Pictures: what is taken for one is complete and nothing else. Checksums are put right, or no change would get past
  /// the first of them.
  static let uafPicture = FuzzTarget(name: "uaf-picture", maximumLength: 4096) { bytes in
    for picture in [bytes, withChecksums(bytes)] {
      guard let file = PNGFile(picture) else { continue }
      try expect(PNGFile(picture + [0]) == nil, "nothing follows a picture")
      try expect(PNGFile(Array(picture.dropLast())) == nil, "a picture is complete")
      let found = file.characteristics
      try expect(found.width > 0 && found.height > 0, "a picture has a size")
      try expect(found.palette.count <= 256, "a palette has 256 entries at most")
    }
  }

  private static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var start = 8
    while start + 12 <= bytes.count {
      let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = start + 8 + length
      guard end + 4 <= bytes.count else { break }
      let sum = PNGFile.checksum(Array(bytes[start + 4..<end]))
      bytes.replaceSubrange(end..<end + 4, with: withUnsafeBytes(of: sum.bigEndian) { Array($0) })
      start = end + 4
    }
    return bytes
  }
}
