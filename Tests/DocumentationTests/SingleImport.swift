import AuthenticatorKit
import Testing

/// What an app writes with one import: the types of the umbrella's own interface can be named.
@Suite struct SingleImport {
  @Test func namesJSONAndTokens() throws {
    var claims: JSONObject = ["device": "kiosk"]
    claims["floor"] = .integer(7)
    #expect(claims["floor"] == JSONValue.integer(7))
    let key = JWK(try PrivateKey.generate(.es256).publicKey)
    #expect(key.thumbprint.count == 32)
  }

  @Test func fillsWhatTakesJSON() {
    let parameters: WritableKeyPath<DeviceBindingConfiguration, JSONObject> = \.customClaims
    #expect(parameters == \DeviceBindingConfiguration.customClaims)
  }
}
