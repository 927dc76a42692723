import AuthenticatorCore
import Testing

struct WebURLTests {
  private struct Parts: Sendable {
    var text: String
    var origin: String
    var path: String
    var query: String?
  }

  private static let accepted = [
    Parts(text: "https://rp.example", origin: "https://rp.example", path: "/"),
    Parts(text: "HTTPS://RP.Example/A?B", origin: "https://rp.example", path: "/A", query: "B"),
    Parts(text: "https://rp.example:443/", origin: "https://rp.example", path: "/"),
    Parts(text: "http://rp.example:443/", origin: "http://rp.example:443", path: "/"),
    Parts(text: "http://[::1]:8080/a", origin: "http://[::1]:8080", path: "/a"),
    Parts(text: "http://[FE80::1]", origin: "http://[fe80::1]", path: "/"),
    Parts(text: "https://rp.example?a=b?c", origin: "https://rp.example", path: "/", query: "a=b?c"),
    Parts(text: "https://rp.example/?", origin: "https://rp.example", path: "/", query: ""),
    Parts(text: "https://rp.example/a://b@c:d", origin: "https://rp.example", path: "/a://b@c:d"),
    Parts(text: "https://a_b-c.example:65535", origin: "https://a_b-c.example:65535", path: "/"),
  ]

  @Test(arguments: accepted)
  private func takesAURLApart(_ parts: Parts) throws {
    let url = try WebURL(parts.text)
    #expect(url.origin == parts.origin)
    #expect(url.path == parts.path)
    #expect(url.query == parts.query)
    #expect(try WebURL(url.description) == url)
  }

  @Test(arguments: [
    ("", "has no scheme"), ("rp.example", "has no scheme"), ("https:/rp.example", "has no scheme"),
    ("https:rp.example", "has no scheme"), ("ftp://rp.example", "is neither http nor https"),
    ("://rp.example", "is neither http nor https"), ("xhttps://rp.example", "is neither http nor https"),
    ("https\u{1A}//rp.example", "contains a character that a URL cannot hold"),
    ("https://rp.example/\u{E4}", "contains a character that a URL cannot hold"),
    ("https://rp.example\\a", "contains a character that a URL cannot hold"),
    ("https://rp.example/a b", "contains a character that a URL cannot hold"),
    ("https://rp.example/#a", "has a fragment"), ("https://me@rp.example", "has user information"),
    ("https://me:secret@rp.example/", "has user information"), ("https://", "has a malformed host"),
    ("https:///a", "has a malformed host"), ("https://%41.example", "has a malformed host"),
    ("https://[::1", "has a malformed host"), ("https://[]", "has a malformed host"),
    ("https://[::1]x", "has a malformed host"), ("https://[::1]]:80", "has a malformed host"),
    ("https://a]:80", "has a malformed host"), ("https://::1", "has a malformed port"),
    ("https://rp.example:", "has a malformed port"), ("https://rp.example:0", "has a malformed port"),
    ("https://rp.example:65536", "has a malformed port"), ("https://rp.example:+80", "has a malformed port"),
    ("https://rp.example:99999999999999999999", "has a malformed port"),
    ("https://[::1]:", "has a malformed port"),
  ])
  func refusesWhatItWouldHaveToGuess(_ text: String, _ reason: String) {
    let error = #expect(throws: AuthenticatorError.self) { try WebURL(text) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.reason == "the URL \(reason)")
  }

  @Test func isBoundedInLength() throws {
    let longest = "https://rp.example/" + String(repeating: "a", count: 65_536 - 19)
    #expect(try WebURL(longest).path.utf8.count == 65_536 - 18)
    #expect(throws: AuthenticatorError(.invalidRequest)) { try WebURL(longest + "a") }
    let label = String(repeating: "a", count: 255)
    #expect(try WebURL("https://" + label).host == label)
    #expect(throws: AuthenticatorError(.invalidRequest)) { try WebURL("https://" + label + "a") }
  }

  @Test(arguments: [
    ("http://localhost:8080", true), ("http://a.localhost", true), ("http://127.0.0.1", true),
    ("http://127.1.2.3", true),
    ("http://[::1]:1", true), ("http://127.0.0.256", false), ("http://127.0.0", false),
    ("http://localhost.example", false),
    ("http://128.0.0.1", false),
  ])
  func knowsThisMachine(_ text: String, _ isLoopback: Bool) throws {
    #expect(try WebURL(text).isLoopback == isLoopback)
  }
}
