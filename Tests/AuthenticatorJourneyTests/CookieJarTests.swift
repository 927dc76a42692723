import AuthenticatorCore
import AuthenticatorJourney
import Testing

@Suite struct CookieJarTests {
  private let now = UnixTime(milliseconds: 1_700_000_000_000)
  private let server = "https://am.example.com/am/json/realms/root/authenticate"

  private func jar(_ fields: String..., from url: String? = nil) throws -> CookieJar {
    var jar = CookieJar(excluding: "session")
    for field in fields { jar.receive(field, from: try WebURL(url ?? server), at: now) }
    return jar
  }

  @Test(
    arguments: [
      ("a=b", "a=b"), ("a=b; Path=/", "a=b"), ("a=b; Path=/am", "a=b"), ("a=b; path=/am/json/realms/root", "a=b"),
      ("a=b; Path=/am/j", nil), ("a=b; Path=/other", nil), ("a=b; Domain=example.com", "a=b"),
      ("a=b; Domain=.EXAMPLE.com", "a=b"), ("a=b; Domain=am.example.com", "a=b"), ("a=b; Domain=com", nil),
      ("a=b; Domain=other.com", nil), ("a=b; Domain=evil-example.com", nil), ("a=b; Domain=ample.com", nil),
      ("a=b; Domain=deep.am.example.com", nil), ("a=b; Domain=", "a=b"), ("a=b; Max-Age=10", "a=b"),
      ("a=b; Max-Age=0", nil), ("a=b; Max-Age=-1", nil), ("a=b; Max-Age=x", "a=b"),
      ("a=b; Max-Age=99999999999999999999", "a=b"),
      ("a=b; Expires=Wed, 15 Nov 2023 22:13:20 GMT", "a=b"), ("a=b; Expires=Tue, 14 Nov 2023 22:13:20 GMT", nil),
      ("a=b; Expires=Tue, 14 Nov 2023 22:13:19 GMT; Max-Age=5", "a=b"), ("a=b; Expires=soon", "a=b"),
      ("a=b; Secure", "a=b"), ("session=x", nil), ("=b", nil), ("a", nil), ("", nil), ("a=", "a="), ("a=b=c", "a=b=c"),
      ("a b=c", nil), ("a=b\u{1}c", nil), ("a=ü", nil), ("  a  =  b  ", "a=b"), ("__Secure-a=b", nil),
      ("__Secure-a=b; Secure", "__Secure-a=b"), ("__Host-a=b; Secure", nil),
      ("__Host-a=b; Secure; Path=/", "__Host-a=b"),
      ("__Host-a=b; Secure; Path=/; Domain=example.com", nil),
    ] as [(String, String?)])
  func followsTheRules(_ field: String, _ sent: String?) throws {
    #expect(try jar(field).header(for: try WebURL(server), at: now) == sent)
  }

  @Test func sendsHostOnlyCookieToItsHostAlone() throws {
    let jar = try jar("a=1; Path=/", "b=2; Path=/; Domain=example.com")
    #expect(jar.header(for: try WebURL("https://other.example.com/"), at: now) == "b=2")
    #expect(jar.header(for: try WebURL("https://evil-example.com/"), at: now) == nil)
    #expect(jar.header(for: try WebURL("https://example.com/"), at: now) == "b=2")
  }

  @Test func knowsAddressesFromNames() throws {
    let url = "https://10.1.2.3/x"
    #expect(try jar("a=1; Domain=2.3", from: url).cookies.isEmpty)
    #expect(try jar("a=1; Domain=10.1.2.3; Path=/", from: url).header(for: try WebURL(url), at: now) == "a=1")
    #expect(try jar("a=1; Domain=localhost; Path=/", from: "http://localhost/").cookies.first?.isHostOnly == true)
  }

  @Test func keepsSecureCookiesOffPlainConnections() throws {
    #expect(try jar("a=1; Secure", from: "http://am.example.com/").cookies.isEmpty)
    var jar = try jar("a=1; Secure; Path=/")
    #expect(jar.header(for: try WebURL("http://am.example.com/"), at: now) == nil)
    jar.receive("a=stolen; Path=/", from: try WebURL("http://am.example.com/"), at: now)
    #expect(jar.header(for: try WebURL("https://am.example.com/"), at: now) == "a=1")
  }

  @Test func replacesAndDeletes() throws {
    var jar = try jar("a=1; Path=/", "b=2; Path=/", "a=3; Path=/")
    #expect(jar.header(for: try WebURL(server), at: now) == "a=3; b=2")
    jar.receive("a=; Path=/; Max-Age=0", from: try WebURL(server), at: now)
    #expect(jar.header(for: try WebURL(server), at: now) == "b=2")
  }

  @Test func forgetsExpired() throws {
    let jar = try jar("a=1; Path=/; Max-Age=10")
    #expect(jar.header(for: try WebURL(server), at: now.advanced(by: .seconds(9))) == "a=1")
    #expect(jar.header(for: try WebURL(server), at: now.advanced(by: .seconds(10))) == nil)
  }

  @Test func sendsLongerPathsFirst() throws {
    let jar = try jar("a=1; Path=/", "b=2; Path=/am", "c=3; Path=/")
    #expect(jar.header(for: try WebURL(server), at: now) == "b=2; a=1; c=3")
  }

  @Test func staysSmall() throws {
    var jar = CookieJar(excluding: "session")
    for index in 0..<500 { jar.receive("c\(index)=1; Path=/", from: try WebURL(server), at: now) }
    jar.receive("big=" + String(repeating: "x", count: 5000), from: try WebURL(server), at: now)
    #expect(jar.cookies.count == 50)
    #expect(jar.cookies.last?.name == "c499")
  }

  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      ("", nil), ("Sun, 06 Nov 1994", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
      ("Sun, 32 Nov 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1500 08:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("99:99:99", nil),
    ] as [(String, Int64?)])
  func readsDates(_ text: String, _ seconds: Int64?) {
    #expect(HTTPDate.parse(text)?.seconds == seconds)
  }
}
