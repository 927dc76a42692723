import Testing

@testable import AuthenticatorJourneyServer

struct WebAuthnOutcomeTests {
  @Test(arguments: [
    ("a::b::c", ["a", "b", "c"]), ("a::b::c::", ["a", "b", "c", ""]), ("a::b::c:::d", ["a", "b", "c", ":d"]),
    // A mark that combines with the colon before it begins the name all the same.
    ("a::b::c::\u{301}x", ["a", "b", "c", "\u{301}x"]), ("a::b::c::\u{FE0F}x", ["a", "b", "c", "\u{FE0F}x"]),
    ("\u{E9}::b::e\u{301}", ["\u{E9}", "b", "e\u{301}"]),
  ])
  func isTakenApartByBytes(_ text: String, _ parts: [String]) {
    guard case .response(let response) = WebAuthnOutcome(text) else {
      Issue.record("no response")
      return
    }
    #expect(response.parts.map { Array($0.utf8) } == parts.map { Array($0.utf8) })
  }

  @Test(arguments: ["", "a", "a::b", "a:b:c", "::"])
  func fewerPartsAreNoResponse(_ text: String) { #expect(WebAuthnOutcome(text) == .malformed) }
}
