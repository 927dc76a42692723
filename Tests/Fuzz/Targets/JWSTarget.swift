import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE

extension FuzzTarget {
  /// Compact JWS from outside, checked with a key that has signed nothing.
  static let jws: FuzzTarget = {
    let key = try? PrivateKey.generate(.es256).publicKey
    return FuzzTarget(name: "jws", maximumLength: 8192) { bytes in
      guard let key else { throw Broken(promise: "a key can be made") }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let token = try? CompactJWS.parse(text) else { return }
      _ = try? token.claims()
      _ = try? token.headerKey()
      let input = token.signingInput + [UInt8(ascii: ".")] + Array(Base64URL.encode(token.signature).utf8)
      try expect(input == bytes, "the parts of a token are its bytes")
      try expect((try? token.verify(with: key, algorithm: .es256)) == nil, "nobody signs with another's key")
    }
  }()
}
