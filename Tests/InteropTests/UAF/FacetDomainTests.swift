import AuthenticatorKit
import AuthenticatorPublicSuffix
import AuthenticatorUAF
import Testing

/// Which hosts belong together for lists of trusted facets, by this machine's public suffix list.
struct FacetDomainTests {
  @Test func domainsBelongTogetherBelowAPublicSuffix() throws {
    let rules = FacetDomainRules(publicSuffixes: try SystemPublicSuffixList())
    #expect(rules.leastSpecificPrivateLabel("www.pay.example.org") == "example.org")
    #expect(rules.leastSpecificPrivateLabel("a.example.co.uk") == "example.co.uk")
    #expect(rules.leastSpecificPrivateLabel("co.uk") == nil)
  }

  @Test(arguments: [
    "127.0.0.1", "10.0.0.1", "192.0.2.7", "0x7f.1", "127.1", "2130706433", "127.0.0.0x1", "[::1]", "[2001:db8::1]",
  ])
  func addressesBelongToNothingButThemselves(_ address: String) throws {
    let rules = FacetDomainRules(publicSuffixes: try SystemPublicSuffixList())
    #expect(rules.leastSpecificPrivateLabel(address) == address)
  }
}
