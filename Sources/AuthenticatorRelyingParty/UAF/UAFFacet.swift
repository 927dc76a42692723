/// The names of facets (AppID and Facets 1.1 section 3.1): the https origin of a web site, or the identity of an app.
///
/// A facet is compared as a whole text, so an origin counts in the one form that clients send: lower case, without the
/// port that https implies, and without a slash at its end.
public enum UAFFacet {
  /// In characters.
  public static let maximumCharacters = 512

  /// The form that clients send; nil for what is no facet: plain http, an https address with a path, query or user, and
  /// anything but visible ASCII with a colon in it.
  public static func normalized(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count <= maximumCharacters, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    let lower = bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    guard !lower.starts(with: "http:".utf8) else { return nil }
    guard lower.starts(with: "https:".utf8) else { return bytes.contains(UInt8(ascii: ":")) ? text : nil }
    let head = Array("https://".utf8)
    guard lower.starts(with: head) else { return nil }
    var authority = lower.dropFirst(head.count)
    if authority.last == UInt8(ascii: "/") { authority = authority.dropLast() }
    guard let (host, port) = parts(authority) else { return nil }
    return String(decoding: head + host, as: UTF8.self) + (port == 443 ? "" : ":\(port)")
  }

  /// Host and port; nil for anything else.
  private static func parts(_ authority: ArraySlice<UInt8>) -> (host: ArraySlice<UInt8>, port: Int)? {
    // The colons of an IPv6 address stand between its brackets.
    let isAddress = authority.first == UInt8(ascii: "[")
    let search = isAddress ? authority.drop { $0 != UInt8(ascii: "]") }.dropFirst() : authority
    let colon = search.firstIndex(of: UInt8(ascii: ":"))
    var port = 443
    if let colon {
      let digits = authority[(colon + 1)...]
      guard (1...5).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
        let number = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(number)
      else { return nil }
      port = number
    }
    let host = authority[..<(colon ?? authority.endIndex)]
    guard !isAddress || host.count > 2 && host.last == UInt8(ascii: "]") else { return nil }
    let name = isAddress ? host.dropFirst().dropLast() : host
    guard (1...255).contains(name.count), name.allSatisfy({ isAllowed($0, inAddress: isAddress) }) else { return nil }
    return (host, port)
  }

  private static func isAllowed(_ byte: UInt8, inAddress isAddress: Bool) -> Bool {
    switch byte {
    case 48...57, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    case UInt8(ascii: ":"): isAddress
    default: false
    }
  }
}
