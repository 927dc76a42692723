import AuthenticatorCBOR

extension FuzzTarget {
  /// CTAP2 CBOR: what is read strictly is written back byte for byte, and what is read in any order of keys once more.
  static let cbor = FuzzTarget(name: "cbor", maximumLength: 2048) { bytes in
    if let value = try? CBORValue.decode(bytes, limits: .attestationObject) {
      try expect(value.encoded() == bytes, "a canonical item has one form")
    }
    if let (value, count) = try? CBORValue.decodePrefix(bytes[...], limits: .attestationObject, keyOrder: .any) {
      try expect(count <= bytes.count, "an item ends within its input")
      let written = value.encoded()
      try expect((try? CBORValue.decode(written, limits: .attestationObject)) == value, "an item reads back")
    }
  }
}
