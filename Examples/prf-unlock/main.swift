// A passkey opens local data: the same secret comes out of it at every sign-in, and only while the person is there.
import AuthenticatorCoding
import AuthenticatorKit
import AuthenticatorTestSupport
import ExampleSupport

let kiosk = try await Kiosk()
let person = kiosk.device.verifier
let client = WebAuthnClient(authenticator: try await kiosk.webAuthn.platformAuthenticator())
let caller = WebAuthnCaller(origin: "https://example.org")

person.perform(.match())
let passkey = try await client.create(
  json: [
    "challenge": "AAECAwQFBgcICQoLDA0ODw", "rp": ["name": "Notes"],
    "user": ["id": "bWlyYQ", "name": "mira", "displayName": "Mira"],
    "pubKeyCredParams": [["type": "public-key", "alg": -7]],
    "authenticatorSelection": ["residentKey": "required"], "extensions": ["prf": [:]],
  ], caller: caller)
print("secrets:", passkey["clientExtensionResults"]?["prf"]?["enabled"] == true ? "enabled" : "not supported")

/// Signs in and takes the secret that belongs to a label.
@MainActor func secret(_ label: String) async throws -> SecretBytes {
  let response = try await client.get(
    json: [
      "challenge": "EBESExQVFhcYGRobHB0eHw",
      "extensions": ["prf": ["eval": ["first": .string(Base64URL.encode(Array(label.utf8)))]]],
    ], caller: caller)
  let text = response["clientExtensionResults"]?["prf"]?["results"]?["first"]?.stringValue ?? ""
  return SecretBytes(try Base64URL.decode(text))
}

let nonce = try SystemRandom.bytes(AESGCM.nonceCount)
person.perform(.match(), .match(), .match())
let sealed = try AESGCM.seal(Array("call Noa at six".utf8), with: try await secret("notes"), nonce: nonce)
let opened = try AESGCM.open(sealed, with: try await secret("notes"), nonce: nonce)
print("opened:", opened.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })

do {
  _ = try AESGCM.open(sealed, with: try await secret("photos"), nonce: nonce)
} catch let error as CryptoError {
  print("another label:", error.code.rawValue)
}

person.perform(.mismatch, .mismatch, .mismatch)
do {
  _ = try await secret("notes")
} catch let error as WebAuthnError {
  print("a stranger:", error.name)
}
