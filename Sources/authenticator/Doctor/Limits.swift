import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorKeyStore
import AuthenticatorLinux
import AuthenticatorSQLite
import AuthenticatorTestSupport
import AuthenticatorUAF
import AuthenticatorWebAuthn
import DeviceAuthenticators

/// The limits and policies in force, as the code has them. Times are in seconds, sizes in bytes.
enum Limits {
  static var json: JSONValue {
    [
      "client": client, "pin": pin, "prompt": prompt, "webauthn": webAuthn, "uaf": uaf, "store": store,
      "server": server,
    ]
  }

  private static var client: JSONValue {
    let limits = JourneyLimits.standard
    return [
      "answerBytes": number(limits.answerBytes), "jsonDepth": number(limits.jsonDepth),
      "jsonValues": number(limits.jsonValues), "textBytes": number(limits.textBytes),
      "callbacksPerNode": number(limits.callbacks),
      "steps": number(limits.steps), "totalSeconds": seconds(limits.totalTime),
      "pollingWaitSeconds": seconds(limits.pollingWait),
      "shortestPollingWaitMilliseconds": number(Int(limits.shortestPollingWait / .milliseconds(1))),
      "requestSeconds": seconds(JourneyConfiguration.standardRequestTimeout),
      "proofSeconds": seconds(ServerTimeout.standard), "longestProofSeconds": seconds(ServerTimeout.longest),
    ]
  }

  private static var pin: JSONValue {
    let policy = PINPolicy()
    let attempts = AttemptPolicy.standard
    let cost = ScryptParameters.recommended
    return [
      "minimumCharacters": number(policy.minimumCharacters), "maximumBytes": number(policy.maximumBytes),
      "tries": number(attempts.limit), "triesPerPrompt": number(ApplicationPINConfig.standardTriesPerPrompt),
      "delaySeconds": .array((1...max(1, attempts.delays.count)).map { seconds(attempts.delay(after: $0)) }),
      "scrypt": ["logN": number(cost.logN), "r": number(cost.r), "p": number(cost.p)],
    ]
  }

  private static var prompt: JSONValue {
    [
      "touchesPerPrompt": number(ScriptedUserVerifier.missesPerPrompt),
      "touchesBeforeLockout": number(ScriptedUserVerifier.missesUntilLock),
      "passcodeTriesPerPrompt": number(TerminalUserVerifier.triesPerPrompt),
    ]
  }

  private static var webAuthn: JSONValue {
    let client = WebAuthnClientConfiguration()
    let authenticator = WebAuthnPlatformConfiguration()
    return [
      "optionsBytes": number(InputFile.limit), "challengeBytes": number(WebAuthnLimits.challengeBytes),
      "listEntries": number(WebAuthnLimits.listEntries), "userHandleBytes": number(WebAuthnLimits.userHandleBytes),
      "nameBytes": number(WebAuthnLimits.nameBytes), "credentialIdBytes": number(CredentialID.maximumSize),
      "algorithms": .array(authenticator.algorithms.map(\.rawValue).sorted(by: >).map(number)),
      "timeoutSeconds": [
        "default": seconds(client.defaultTimeout), "least": seconds(client.timeouts.lowerBound),
        "most": seconds(client.timeouts.upperBound),
      ],
      "relatedOriginLabels": number(client.relatedOriginLabels),
      "credBlobBytes": number(authenticator.maximumCredentialBlobBytes),
      "largeBlobBytes": number(authenticator.maximumLargeBlobBytes),
    ]
  }

  private static var uaf: JSONValue {
    [
      "messageBytes": number(UAFLimits.messageBytes), "assertionBytes": number(UAFLimits.assertionBytes),
      "appIDBytes": number(UAFLimits.appIDBytes), "policyChoices": number(UAFLimits.policyChoices),
      "policyEntries": number(UAFLimits.policyEntries), "setCriteria": number(UAFLimits.setCriteria),
      "transactionCharacters": number(UAFLimits.transactionCharacters),
      "transactionImageBytes": number(UAFLimits.transactionImageBytes),
      "facetListBytes": number(UAFLimits.facetListBytes), "facetListRedirects": number(UAFLimits.facetListRedirects),
      "facetListSeconds": seconds(UAFLimits.facetListAge), "facetLists": number(UAFLimits.facetLists),
      "tlsServerCertificateCharacters": number(UAFLimits.tlsServerCertificateCharacters),
      "operationSeconds": seconds(UAFLimits.operationTime),
      "algorithms": .array(UAFAlgorithm.supported.map { number(Int($0.rawValue)) }),
      "versions": .array(UAFVersion.supported.map { .string($0.description) }),
    ]
  }

  private static var store: JSONValue {
    [
      "fieldBytes": number(StoreLimits.fieldBytes), "nameBytes": number(StoreLimits.nameBytes),
      "busySeconds": seconds(SQLiteKeyStore.Options().busyTimeout),
    ]
  }

  private static var server: JSONValue {
    let limits = JourneyServerLimits.default
    let lockout = LockoutPolicy()
    let registry = RegistryLimits.default
    let devices = TrustedDeviceSettings()
    let uaf = UAFSettings()
    return [
      "bodyBytes": number(limits.bodyBytes), "headerBytes": number(limits.headerBytes),
      "jsonDepth": number(limits.jsonDepth), "jsonValues": number(limits.jsonValues),
      "textBytes": number(limits.textBytes), "callbacksPerStep": number(limits.callbacks),
      "stateBytes": number(limits.stateBytes), "steps": number(limits.steps),
      "connections": number(limits.connections), "receiveSeconds": seconds(limits.receiveTimeout),
      "usernameBytes": number(PasswordAuthority.maximumUsernameBytes),
      "passwordBytes": number(PasswordAuthority.maximumPasswordBytes),
      "passwordQueue": number(limits.passwordQueue),
      "passwordWidth": limits.passwordWidth.map(number) ?? "oneForEachCore",
      "failuresPerAddress": limits.failuresPerAddress.map(number) ?? .null,
      "addressIntervalSeconds": seconds(limits.addressInterval),
      "stepLifetimeSeconds": seconds(limits.stepLifetime), "suspendLifetimeSeconds": seconds(limits.suspendLifetime),
      "sessionLifetimeSeconds": seconds(limits.sessionLifetime),
      "lockout": [
        "failuresBeforeLock": number(lockout.failuresBeforeLock), "firstLockSeconds": seconds(lockout.firstLock),
        "longestLockSeconds": seconds(lockout.longestLock), "failuresForGood": number(lockout.failuresForGood),
      ],
      "journeys": number(registry.journeys), "parkedJourneys": number(registry.parkedJourneys),
      "sessions": number(registry.sessions), "attemptSubjects": number(registry.attemptSubjects),
      "trustedDevices": [
        "quota": number(devices.quota), "challengeLifetimeSeconds": seconds(devices.challengeLifetime),
        "sessionLifetimeSeconds": seconds(devices.sessionLifetime), "maximumUsers": number(devices.maximumUsers),
      ],
      "uaf": [
        "quota": number(uaf.quota), "requestLifetimeSeconds": seconds(uaf.requestLifetime),
        "enrollmentPolicy": .string(uaf.enrollmentPolicy.rawValue),
        "signCounterPolicy": .string(uaf.signCounterPolicy.rawValue),
      ],
    ]
  }

  private static func number(_ value: Int) -> JSONValue { .integer(Int64(value)) }
  private static func seconds(_ duration: Duration) -> JSONValue { .integer(duration.components.seconds) }
}
