import AuthenticatorKit
import AuthenticatorTestSupport

let environment = AuthenticatorEnvironment(appIdentifier: "com.example.app", deviceName: "Kiosk 7")
let server = try await InProcessServer(users: ["mira": "correct horse"], environment: environment)
let journey = try Journey(server: InProcessServer.address, environment: environment, transport: server)
var binding = DeviceBindingConfiguration(
  for: journey, keyStore: try InMemoryKeyStore(environment: environment),
  verifier: try ScriptedUserVerifier(ScriptedDevice(), environment: environment), environment: environment)
binding.factories.register(BadgeAuthenticator.badge) { BadgeAuthenticator(context: $0) }
binding.types[.biometricAllowFallback] = BadgeAuthenticator.badge

for name in ["BindDevice", "SignDeviceUsernameless"] {
  var node = try await journey.start(name, options: JourneyOptions(forceAuth: true))
  while case .continue(let page) = node {
    page.callback(NameCallback.self)?.name = "mira"
    page.callback(PasswordCallback.self)?.password = "correct horse"
    try await page.callback(DeviceBindingCallback.self)?.bind(binding)
    try await page.callback(DeviceSigningVerifierCallback.self)?.sign(binding)
    node = try await page.next()
  }
  if case .success(let session) = node { print("\(name): signed in to \(session.realm)") }
}
