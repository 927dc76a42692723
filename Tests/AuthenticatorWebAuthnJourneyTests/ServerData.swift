import AuthenticatorCoding

/// What servers of the two generations send, valid until a test bends it.
enum ServerData {
  /// 32 bytes, with characters that only standard Base64 has.
  static let challengeBytes: [UInt8] = (0..<32).map { UInt8($0 * 8 + 3) }  // includes values above 127
  static let challenge = Base64.encode(challengeBytes)
  static let miraID = Base64URL.encode(Array("mira".utf8))
  static let otherID: [UInt8] = [1, 97, 2, 123, 183, 239, 255, 128]

  /// As 7.1 and later: plain members beside pieces of script.
  static func registration(_ bend: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
    var data: JSONObject = [
      "_action": "webauthn_registration", "_type": "WebAuthn", "challenge": .string(challenge),
      "attestationPreference": "none", "userName": "mira", "displayName": "Mira M.", "userId": .string(miraID),
      "relyingPartyName": "Example", "relyingPartyId": #"id: "am.example.com","#, "_relyingPartyId": "am.example.com",
      "authenticatorSelection": #"{"userVerification":"preferred"}"#,
      "_authenticatorSelection": ["userVerification": "preferred"],
      "pubKeyCredParams": #"[ { "type": "public-key", "alg": -257 }, { "type": "public-key", "alg": -7 } ]"#,
      "_pubKeyCredParams": [["type": "public-key", "alg": -257], ["type": "public-key", "alg": -7]],
      "timeout": "60000", "excludeCredentials": "", "_excludeCredentials": [], "extensions": [:],
      "supportsJsonResponse": true,
    ]
    bend(&data)
    return data
  }

  /// As 7.0: pieces of script only.
  static func oldRegistration(_ bend: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
    var data = registration()
    for name in data.names where name.hasPrefix("_") && name != "_type" { data[name] = nil }
    data["supportsJsonResponse"] = nil
    data["excludeCredentials"] = .string(
      #"{ "type": "public-key", "id": new Int8Array([1, 97, 2, 123, -73, -17, -1, -128]).buffer }, "#
        + #"{ "type": "public-key", "id": new Int8Array([5]).buffer }"#)
    bend(&data)
    return data
  }

  static func authentication(_ bend: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
    var data: JSONObject = [
      "_action": "webauthn_authentication", "_type": "WebAuthn", "challenge": .string(challenge),
      "relyingPartyId": #"rpId: "am.example.com","#, "_relyingPartyId": "am.example.com", "allowCredentials": "",
      "_allowCredentials": [], "timeout": "60000", "userVerification": "preferred", "extensions": [:],
      "supportsJsonResponse": true,
    ]
    bend(&data)
    return data
  }

  static func oldAuthentication(_ bend: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
    var data = authentication()
    for name in data.names where name.hasPrefix("_") && name != "_type" { data[name] = nil }
    data["supportsJsonResponse"] = nil
    data["allowCredentials"] = .string(
      #"allowCredentials: [{ "type": "public-key", "id": new Int8Array([1, 97, 2, 123, -73, -17, -1, -128]).buffer },"#
        + #"{ "type": "public-key", "id": new Int8Array([5]).buffer }]"#)
    bend(&data)
    return data
  }

  static func bend(_ data: inout JSONObject, user: String, displayName: String, discoverable: Bool = true) {
    data["userName"] = .string(user)
    data["displayName"] = .string(displayName)
    data["userId"] = .string(Base64URL.encode(Array(user.utf8)))
    data["_authenticatorSelection"] = [
      "userVerification": "preferred", "requireResidentKey": .bool(discoverable),
    ]
  }

  static func signed(_ bytes: [UInt8]) -> JSONValue {
    .array(bytes.map { .integer(Int64(Int8(bitPattern: $0))) })
  }

  static func allowed(_ id: [UInt8]) -> JSONValue { [["type": "public-key", "id": signed(id)]] }

  // MARK: Scripts

  static func numbers(_ bytes: [UInt8]) -> String {
    bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ", ")
  }

  static let registrationScript = """
    /*
     * The server's script: "challenge: none" stands in a comment, and a quote's "end
     */
    if (!window.PublicKeyCredential) {
        document.getElementById('webAuthnOutcome').value = "unsupported";
        document.getElementById("loginButton_0").click();
    }

    var publicKey = {
        challenge: new Int8Array([\(numbers(challengeBytes))]).buffer,
        // Relying Party:
        rp: {
            id: "am.example.com",
            name: "Ex\\u00e4mple \\"R&D\\""
        },
        // User:
        user: {
            id: Uint8Array.from("\(miraID)", function (c) { return c.charCodeAt(0) }),
            name: "mira",
            displayName: 'Mira M.'
        },
        pubKeyCredParams: [ { "type": "public-key", "alg": -257 }, { type: "public-key", alg: -7 } ],
        attestation: "none",
        timeout: 60000,
        excludeCredentials: [{ "type": "public-key", "id": new Uint8Array([1, 97, 2, 123, 183, 239, 255, 128]).buffer }],
        authenticatorSelection: {
            userVerification: "discouraged"
            requireResidentKey: true
        }
    };

    navigator.credentials.create({publicKey: publicKey})
        .then(function (newCredentialInfo) {
            var rawId = newCredentialInfo.id;
            document.getElementById('webAuthnOutcome').value = clientData + "::" + keyData + "::" + rawId;
        }).catch(function (err) {
            document.getElementById('webAuthnOutcome').value = "ERROR" + "::" + err;
        });
    """

  static let authenticationScript = """
    var acceptableCredentials = [
        { "type": "public-key", "id": new Int8Array([1, 97, 2, 123, -73, -17, -1, -128]).buffer }
    ];

    var options = {
        challenge: new Int8Array([\(numbers(challengeBytes))]).buffer,
        timeout: 30000,
        rpId: "am.example.com",
        userVerification: "required",
        allowCredentials: acceptableCredentials
    };

    navigator.credentials.get({ "publicKey" : options })
        .then(function (assertion) { document.getElementById('webAuthnOutcome').value = "x"; });
    """

  static let spinnerScript = """
    var overlay = document.createElement("div");
    overlay.innerText = "Waiting for local device... ";
    """
}
