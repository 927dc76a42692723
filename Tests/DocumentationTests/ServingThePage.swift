import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite("Page: the sign-in page")
struct ServingThePage {
  @Test func isOneRouteAndOneSetting() throws {
    var configuration = try JourneyServerConfiguration(
      environment: AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Server"))
    configuration.routes = [SignInPage()]
    configuration.sessionCookie = .browsers
    #expect(configuration.routes.count == 1)
  }
}
