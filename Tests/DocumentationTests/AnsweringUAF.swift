import AuthenticatorKit
import AuthenticatorTestSupport
import Testing

@Suite("Page: UAF")
struct AnsweringUAF {
  private static let message = """
    [{"header": {"upv": {"major": 1, "minor": 1}, "op": "Reg"},
      "challenge": "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0", "username": "mira",
      "policy": {"accepted": [[{"aaid": ["FFFF#0002"]}]]}}]
    """

  private func client(of device: TestDevice) throws -> UAFClient {
    let (store, verifier) = (device.store, device.verifier)
    let environment = device.environment.environment
    let aaid = try #require(AAID("FFFF#0002"))
    var configuration = try UAFClientConfiguration(
      instance: "https://bank.example",
      authenticators: [UAFAuthenticatorModel(aaid: aaid, behavior: .biometricWithState)],
      keyStore: store, verifier: verifier, environment: environment)
    configuration.texts.registration = "Register this phone with the bank"
    let client = try UAFClient(configuration)
    return client
  }

  @Test func registersAndNotesTheVerdict() async throws {
    let device = try TestDevice(instance: "https://bank.example")
    let client = try client(of: device)
    device.verifier.perform(.match())
    var posted: [String] = []
    let post = { (text: String) -> UAFServerStatus in
      posted.append(text)
      return .ok
    }
    let facet = "linux:exe:com.example.bank"
    try await client.recover()
    let result = await client.register(try UAFMessage(parsing: Self.message), facetID: facet)
    if let response = result.message {
      let status = post(response.uafProtocolMessage)
      try await client.notify(status: status, of: response, facetID: facet)
    } else {
      print(result.outcome, result.errorCode)
    }
    #expect(posted.count == 1)
    let keys = try await client.registrations(facetID: facet).flatMap(\.keys)
    #expect(keys.map(\.isConfirmed) == [true])
  }
}
