import AuthenticatorCore
import AuthenticatorJourney
import Testing

@Suite struct JourneyConfigurationTests {
  @Test(arguments: [
    ("/", "/", "root"), ("", "/", "root"), ("root", "/", "root"), ("alpha", "/alpha", "root/realms/alpha"),
    ("/alpha", "/alpha", "root/realms/alpha"), ("/alpha/", "/alpha", "root/realms/alpha"),
    ("root/alpha", "/alpha", "root/realms/alpha"), ("/a/b", "/a/b", "root/realms/a/realms/b"),
    ("root/realms/a/realms/b", "/a/b", "root/realms/a/realms/b"),
    ("/sales team", "/sales team", "root/realms/sales%20team"),
    ("/ä", "/ä", "root/realms/%C3%A4"), ("/a%2Fb", "/a%2Fb", "root/realms/a%252Fb"),
    ("/realms", "/realms", "root/realms/realms"),
  ])
  func buildsRealmPath(_ text: String, _ shown: String, _ path: String) throws {
    let realm = try JourneyRealm(text)
    #expect(realm.description == shown)
    #expect(realm.urlPath == path)
  }

  @Test(arguments: ["/a/../b", "/.", "/a\nb", "/a\u{0}", "/" + String(repeating: "a", count: 2000)])
  func refusesRealm(_ text: String) {
    #expect(throws: AuthenticatorError(.invalidRequest)) { try JourneyRealm(text) }
  }

  @Test func acceptsServersItMayTalkTo() throws {
    #expect(try JourneyConfiguration(server: "https://am.example.com/am/").instance == "https://am.example.com/am")
    #expect(try JourneyConfiguration(server: "https://am.example.com").instance == "https://am.example.com")
    #expect(try JourneyConfiguration(server: "http://127.0.0.1:8080/am").instance == "http://127.0.0.1:8080/am")
    #expect(
      try JourneyConfiguration(server: "http://am.example.com/am", allowsPlainHTTP: true).instance
        == "http://am.example.com/am")
  }

  @Test(arguments: [
    "http://am.example.com/am", "https://am.example.com/am?x=1", "ftp://am.example.com", "am.example.com", "https://",
    "https://user@am.example.com/am",
  ])
  func refusesServer(_ text: String) {
    #expect(throws: AuthenticatorError(.invalidRequest)) { try JourneyConfiguration(server: text) }
  }

  @Test(arguments: ["", "a b", "a\r\nX: y", "ä", "a:b"])
  func refusesCookieName(_ name: String) {
    #expect(throws: AuthenticatorError(.invalidRequest)) {
      try JourneyConfiguration(server: "https://am.example.com/am", cookieName: name)
    }
  }
}
