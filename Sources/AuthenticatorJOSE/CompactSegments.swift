internal import AuthenticatorCoding

/// The three segments of a compact serialization, not yet decoded.
struct CompactSegments {
  let header: ArraySlice<UInt8>
  let payload: ArraySlice<UInt8>
  let signature: ArraySlice<UInt8>
  /// Header and payload with their dot.
  let signingInput: ArraySlice<UInt8>

  /// Throws `malformedToken` unless there are exactly two dots and something before the first.
  init(_ bytes: [UInt8]) throws(JOSEError) {
    let dot = UInt8(ascii: ".")
    guard let first = bytes.firstIndex(of: dot), first > 0,
      let second = bytes[(first + 1)...].firstIndex(of: dot),
      !bytes[(second + 1)...].contains(dot)
    else { throw JOSEError(.malformedToken, "not three segments") }
    header = bytes[..<first]
    payload = bytes[(first + 1)..<second]
    signature = bytes[(second + 1)...]
    signingInput = bytes[..<second]
  }

  func decode(_ segment: ArraySlice<UInt8>) throws(JOSEError) -> [UInt8] {
    do { return try Base64URL.decode(segment) } catch {
      throw JOSEError(.invalidEncoding, "a segment is not canonical base64url")
    }
  }
}
