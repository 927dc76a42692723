// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target. `NonisolatedNonsendingByDefault` lets a live, non-Sendable authenticator be used
/// from whatever actor holds it. Warnings are errors here and ignored when this package is built as a dependency.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A library target; `layer` documents where it stands: it may depend only on targets of lower layers
/// and on those of its own that stand above it here (checked by `make lint`).
func library(
  _ name: String, layer: Int, _ dependencies: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
  .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func example(_ name: String, _ more: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name, dependencies: ["AuthenticatorKit", "AuthenticatorTestSupport", "ExampleSupport"] + more,
    path: "Examples/\(name)", swiftSettings: strict)
}

// MARK: - Layer 0: Debian's C libraries, one Swift importer each

let cLibraries: [Target] = [
  .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
  .target(name: "COpenSSLShims", dependencies: ["COpenSSL"]),
  .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  .target(name: "CSQLiteShims", dependencies: ["CSQLite"]),
  .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
  .target(name: "CMicroHTTPDShims", dependencies: ["CMicroHTTPD"]),
  .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
  .target(name: "CCurlShims", dependencies: ["CCurl"]),
  .systemLibrary(name: "CLibCBOR", pkgConfig: "libcbor", providers: [.apt(["libcbor-dev"])]),
  .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
  .systemLibrary(name: "CPAM", providers: [.apt(["libpam0g-dev"])]),
  .target(name: "CTerminalShims"),
]

// MARK: - Layers 1 to 7: libraries

let libraries: [Target] = [
  library("AuthenticatorCoding", layer: 1, []),
  library("AuthenticatorCBOR", layer: 1, ["CLibCBOR"]),
  library("AuthenticatorCrypto", layer: 1, ["AuthenticatorCoding", "COpenSSL", "COpenSSLShims"]),
  library("AuthenticatorCore", layer: 2, ["AuthenticatorCoding", "AuthenticatorCrypto"]),
  library("AuthenticatorJOSE", layer: 2, ["AuthenticatorCoding", "AuthenticatorCrypto"]),
  library("DeviceAuthenticators", layer: 3, ["AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto"]),
  library("AuthenticatorKeyStore", layer: 3, ["AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto"]),
  library(
    "AuthenticatorSQLite", layer: 3,
    [
      "AuthenticatorKeyStore", "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto", "CSQLite",
      "CSQLiteShims",
    ]),
  library("AuthenticatorHTTP", layer: 3, ["AuthenticatorCore", "AuthenticatorCoding", "CCurl", "CCurlShims"]),
  library("AuthenticatorJourney", layer: 3, ["AuthenticatorCore", "AuthenticatorCoding"]),
  library(
    "AuthenticatorDeviceBinding", layer: 4,
    [
      "AuthenticatorJourney", "DeviceAuthenticators", "AuthenticatorJOSE", "AuthenticatorCore", "AuthenticatorCoding",
      "AuthenticatorCrypto",
    ]),
  library(
    "AuthenticatorWebAuthn", layer: 4,
    ["AuthenticatorCBOR", "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto"]),
  library(
    "AuthenticatorWebAuthnJourney", layer: 4,
    [
      "AuthenticatorWebAuthn", "AuthenticatorJourney", "AuthenticatorCore", "AuthenticatorCoding",
      "AuthenticatorCrypto",
    ]),
  library(
    "AuthenticatorPublicSuffix", layer: 4, ["AuthenticatorWebAuthn", "AuthenticatorCore", "CPSL"]),
  library(
    "AuthenticatorTrustedDevice", layer: 4,
    ["DeviceAuthenticators", "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto"]),
  library(
    "AuthenticatorTrustedDeviceJourney", layer: 4,
    [
      "AuthenticatorTrustedDevice", "AuthenticatorJourney", "DeviceAuthenticators", "AuthenticatorCore",
      "AuthenticatorCoding", "AuthenticatorCrypto",
    ]),
  library(
    "AuthenticatorUAF", layer: 4,
    ["DeviceAuthenticators", "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto"]),
  library(
    "AuthenticatorUAFJourney", layer: 4,
    ["AuthenticatorUAF", "AuthenticatorJourney", "AuthenticatorCore", "AuthenticatorCoding"]),
  library(
    "AuthenticatorLinux", layer: 4,
    ["DeviceAuthenticators", "AuthenticatorCore", "AuthenticatorCrypto", "CPAM", "CTerminalShims"]),
  library(
    "AuthenticatorRelyingParty", layer: 5,
    ["AuthenticatorJOSE", "AuthenticatorCBOR", "AuthenticatorCrypto", "AuthenticatorCoding"]),
  library(
    "AuthenticatorJourneyServer", layer: 6,
    [
      "AuthenticatorRelyingParty", "AuthenticatorJOSE", "AuthenticatorCore", "AuthenticatorCoding",
      "AuthenticatorCrypto", "CMicroHTTPD", "CMicroHTTPDShims", "CSQLite", "CSQLiteShims",
    ],
    // In the module rather than in a bundle beside it: the tool stays one file that runs wherever it is put.
    resources: [.embedInCode("Page/Assets")]),
  library(
    "AuthenticatorKit", layer: 7,
    [
      "AuthenticatorUAFJourney", "AuthenticatorUAF", "AuthenticatorTrustedDeviceJourney", "AuthenticatorTrustedDevice",
      "AuthenticatorWebAuthnJourney",
      "AuthenticatorWebAuthn", "AuthenticatorPublicSuffix", "AuthenticatorDeviceBinding", "AuthenticatorJourney",
      "AuthenticatorHTTP", "AuthenticatorSQLite", "AuthenticatorKeyStore", "DeviceAuthenticators", "AuthenticatorJOSE",
      "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto",
    ]),
  library(
    "AuthenticatorTestSupport", layer: 7,
    [
      "AuthenticatorWebAuthnJourney", "AuthenticatorWebAuthn", "DeviceAuthenticators", "AuthenticatorKeyStore",
      "AuthenticatorJourney", "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto",
      "AuthenticatorJourneyServer",
    ]),
]

// MARK: - Layer 8: the command-line tool

let tool: [Target] = [
  .executableTarget(
    name: "authenticator",
    dependencies: [
      "AuthenticatorKit", "AuthenticatorLinux", "AuthenticatorJourneyServer", "AuthenticatorTestSupport",
      "AuthenticatorTrustedDeviceJourney", "AuthenticatorTrustedDevice", "AuthenticatorDeviceBinding",
      "AuthenticatorWebAuthnJourney", "AuthenticatorWebAuthn", "AuthenticatorPublicSuffix", "AuthenticatorUAFJourney",
      "AuthenticatorUAF", "AuthenticatorRelyingParty", "AuthenticatorJourney", "AuthenticatorHTTP",
      "AuthenticatorSQLite", "AuthenticatorKeyStore", "DeviceAuthenticators", "AuthenticatorCore",
      "AuthenticatorCoding", "AuthenticatorCrypto",
    ], swiftSettings: strict)
]

// MARK: - Examples: one screen each, run by the tests

let examples: [Target] =
  [
    .target(
      name: "ExampleSupport",
      dependencies: [
        "AuthenticatorKit", "AuthenticatorRelyingParty", "AuthenticatorTestSupport", "AuthenticatorCoding",
      ],
      path: "Examples/Support", swiftSettings: strict)
  ]
  + [
    "quick-start", "bind-and-sign-in", "enrollment-change", "application-pin", "several-users", "custom-authenticator",
    "device-passcode-fallback", "usernameless-sign-in", "webauthn-in-a-journey", "enroll-after-sign-in",
    "returning-user", "list-and-revoke", "uaf-sign-in", "uaf-fallback", "uaf-context-reuse", "uaf-payment",
    "uaf-changed-fingers",
  ].map { example($0) }
  + [
    example("passkey-round-trip", ["AuthenticatorRelyingParty", "AuthenticatorCoding"]),
    example("prf-unlock", ["AuthenticatorCoding"]),
  ]

// MARK: - Benches: `make bench`

let benches: [Target] = [
  .target(
    name: "BenchmarkFloors", dependencies: ["COpenSSL", "CSQLite", "CMicroHTTPD"], path: "Tests/BenchmarkFloors"),
  .executableTarget(
    name: "authenticator-bench",
    dependencies: [
      "BenchmarkFloors", "TestUAF", "AuthenticatorKit", "AuthenticatorJourneyServer", "AuthenticatorTestSupport",
      "AuthenticatorTrustedDevice", "AuthenticatorDeviceBinding", "AuthenticatorJourney", "AuthenticatorHTTP",
      "AuthenticatorSQLite", "AuthenticatorKeyStore", "DeviceAuthenticators", "AuthenticatorCore", "AuthenticatorJOSE",
      "AuthenticatorUAF", "AuthenticatorWebAuthn", "AuthenticatorRelyingParty", "AuthenticatorCBOR",
      "AuthenticatorCoding", "AuthenticatorCrypto",
    ], path: "Tests/Benchmarks", exclude: ["Peers"], swiftSettings: strict),
]

// MARK: - Fuzzing: `make fuzz`; the tests replay

let fuzzing: [Target] = [
  .target(name: "LibFuzzer", path: "Tests/Fuzz/LibFuzzer"),
  .target(
    name: "FuzzTargets",
    dependencies: [
      "AuthenticatorJourneyServer", "AuthenticatorRelyingParty", "AuthenticatorWebAuthnJourney",
      "AuthenticatorWebAuthn", "AuthenticatorCBOR", "AuthenticatorSQLite", "AuthenticatorKeyStore",
      "AuthenticatorJourney", "AuthenticatorJOSE", "DeviceAuthenticators", "AuthenticatorTestSupport",
      "AuthenticatorUAF", "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto", "TestCertificates",
    ],
    path: "Tests/Fuzz", exclude: ["Driver", "LibFuzzer"], sources: ["Targets"], resources: [.copy("Corpus")],
    swiftSettings: strict),
  .executableTarget(
    name: "authenticator-fuzz", dependencies: ["FuzzTargets", "LibFuzzer"], path: "Tests/Fuzz/Driver",
    swiftSettings: strict),
]

// MARK: - Tests

let testTargets: [Target] = [
  .target(
    name: "TestVectors", path: "Tests/TestVectors", exclude: ["ORIGIN.md"], resources: [.copy("Data")],
    swiftSettings: strict),
  .target(name: "TestMachine", path: "Tests/TestMachine", swiftSettings: strict),
  tests("FuzzTests", ["FuzzTargets"]),
  tests(
    "DocumentationTests",
    [
      "AuthenticatorKit", "AuthenticatorJourneyServer", "AuthenticatorTestSupport", "DeviceAuthenticators",
      "AuthenticatorKeyStore", "AuthenticatorCore",
      "AuthenticatorCrypto",
    ]),
  tests("AuthenticatorCodingTests", ["AuthenticatorCoding", "TestVectors"]),
  .target(
    name: "TestCertificates", dependencies: ["AuthenticatorCrypto"], path: "Tests/TestCertificates",
    swiftSettings: strict),
  .target(
    name: "TestUAF", dependencies: ["AuthenticatorCrypto", "AuthenticatorCoding"], path: "Tests/TestUAF",
    swiftSettings: strict),
  tests(
    "AuthenticatorCryptoTests", ["AuthenticatorCrypto", "AuthenticatorCoding", "TestCertificates", "TestVectors"]),
  tests(
    "AuthenticatorWebAuthnTests",
    [
      "AuthenticatorWebAuthn", "AuthenticatorPublicSuffix", "AuthenticatorRelyingParty", "AuthenticatorTestSupport",
      "DeviceAuthenticators", "AuthenticatorKeyStore", "AuthenticatorCBOR", "AuthenticatorCore",
      "AuthenticatorCoding", "AuthenticatorCrypto", "TestVectors", "TestCertificates", "TestMachine",
    ]),
  tests(
    "AuthenticatorWebAuthnJourneyTests",
    [
      "AuthenticatorWebAuthnJourney", "AuthenticatorWebAuthn", "AuthenticatorJourney", "AuthenticatorJourneyServer",
      "AuthenticatorRelyingParty", "AuthenticatorTestSupport", "DeviceAuthenticators", "AuthenticatorCore",
      "AuthenticatorCoding",
    ]),
  tests(
    "AuthenticatorCBORTests", ["AuthenticatorCBOR", "AuthenticatorCoding", "CLibCBOR", "TestMachine", "TestVectors"]),
  .target(
    name: "KeyStoreBehavior", dependencies: ["AuthenticatorKeyStore", "AuthenticatorCore", "AuthenticatorCrypto"],
    path: "Tests/KeyStoreBehavior", swiftSettings: strict),
  tests(
    "AuthenticatorKeyStoreTests",
    ["KeyStoreBehavior", "AuthenticatorKeyStore", "AuthenticatorCore", "AuthenticatorCrypto"]),
  .target(name: "CStoreTestSupport", path: "Tests/CStoreTestSupport"),
  .executableTarget(
    name: "StoreDriver",
    dependencies: [
      "AuthenticatorSQLite", "AuthenticatorKeyStore", "AuthenticatorCore", "AuthenticatorCrypto", "CSQLite",
      "CStoreTestSupport",
    ], path: "Tests/StoreDriver", swiftSettings: strict),
  tests(
    "AuthenticatorSQLiteTests",
    [
      "AuthenticatorSQLite", "KeyStoreBehavior", "StoreDriver", "AuthenticatorKeyStore", "AuthenticatorCore",
      "AuthenticatorCrypto", "AuthenticatorCoding", "CSQLite", "TestMachine", "TestVectors",
    ], resources: [.copy("Faults")]),
  tests(
    "DeviceAuthenticatorsTests",
    [
      "DeviceAuthenticators", "AuthenticatorSQLite", "AuthenticatorTestSupport", "AuthenticatorKeyStore",
      "AuthenticatorCore", "AuthenticatorCrypto", "TestVectors",
    ]),
  tests(
    "AuthenticatorTestSupportTests",
    [
      "AuthenticatorTestSupport", "DeviceAuthenticators", "AuthenticatorKeyStore", "AuthenticatorCore",
      "AuthenticatorCoding", "AuthenticatorCrypto", "TestMachine",
    ]),
  tests(
    "AuthenticatorLinuxTests",
    [
      "AuthenticatorLinux", "DeviceAuthenticators", "AuthenticatorTestSupport", "AuthenticatorCore",
      "AuthenticatorCrypto", "TestMachine",
    ]),
  tests(
    "AuthenticatorJOSETests",
    ["AuthenticatorJOSE", "AuthenticatorCrypto", "AuthenticatorCoding", "TestVectors"]),
  tests("AuthenticatorHTTPTests", ["AuthenticatorHTTP", "AuthenticatorCore", "AuthenticatorCoding"]),
  tests(
    "AuthenticatorJourneyTests",
    [
      "AuthenticatorJourney", "AuthenticatorJourneyServer", "AuthenticatorTestSupport", "AuthenticatorCore",
      "AuthenticatorCoding", "AuthenticatorCrypto",
    ]),
  tests(
    "AuthenticatorDeviceBindingTests",
    [
      "AuthenticatorDeviceBinding", "AuthenticatorJourney", "AuthenticatorJourneyServer", "AuthenticatorRelyingParty",
      "AuthenticatorJOSE", "AuthenticatorTestSupport", "AuthenticatorKeyStore", "DeviceAuthenticators",
      "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto",
    ]),
  tests(
    "AuthenticatorTrustedDeviceTests",
    [
      "AuthenticatorTrustedDevice", "AuthenticatorJourneyServer", "AuthenticatorTestSupport", "AuthenticatorKeyStore",
      "DeviceAuthenticators", "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto",
    ]),
  tests(
    "AuthenticatorTrustedDeviceJourneyTests",
    [
      "AuthenticatorTrustedDeviceJourney", "AuthenticatorTrustedDevice", "AuthenticatorJourney",
      "AuthenticatorJourneyServer", "AuthenticatorTestSupport", "DeviceAuthenticators", "AuthenticatorCore",
      "AuthenticatorCoding", "AuthenticatorCrypto",
    ]),
  tests(
    "AuthenticatorUAFTests",
    [
      "AuthenticatorUAF", "AuthenticatorTestSupport", "AuthenticatorKeyStore", "DeviceAuthenticators",
      "AuthenticatorCore", "AuthenticatorCoding", "AuthenticatorCrypto", "TestCertificates", "TestVectors",
    ]),
  tests(
    "AuthenticatorUAFJourneyTests",
    [
      "AuthenticatorUAFJourney", "AuthenticatorUAF", "AuthenticatorJourney", "AuthenticatorJourneyServer",
      "AuthenticatorRelyingParty", "AuthenticatorHTTP", "AuthenticatorTestSupport", "AuthenticatorCore",
      "AuthenticatorCoding",
    ]),
  tests(
    "AuthenticatorRelyingPartyTests",
    [
      "AuthenticatorRelyingParty", "AuthenticatorJOSE", "AuthenticatorCBOR", "AuthenticatorCrypto",
      "AuthenticatorCoding", "TestCertificates", "TestMachine", "TestUAF", "TestVectors",
    ]),
  tests(
    "AuthenticatorJourneyServerTests",
    [
      "AuthenticatorJourneyServer", "AuthenticatorRelyingParty", "AuthenticatorWebAuthn", "AuthenticatorUAF",
      "AuthenticatorTestSupport", "DeviceAuthenticators", "AuthenticatorJOSE", "AuthenticatorCore",
      "AuthenticatorCrypto", "AuthenticatorCoding",
      "TestCertificates", "TestMachine", "TestUAF", "TestVectors",
    ]),
]

let exampleTests = Target.testTarget(
  name: "ExampleTests",
  dependencies: examples.filter { $0.type == .executable }.map { .target(name: $0.name) },
  resources: [.copy("Expected")], swiftSettings: strict)

let interopTests = Target.testTarget(
  name: "InteropTests",
  dependencies: [
    "AuthenticatorKit", "AuthenticatorTestSupport", "AuthenticatorJourneyServer", "AuthenticatorRelyingParty",
    "AuthenticatorWebAuthn", "AuthenticatorUAF", "DeviceAuthenticators", "AuthenticatorPublicSuffix",
    "AuthenticatorJOSE", "AuthenticatorCore", "AuthenticatorCrypto", "AuthenticatorCoding", "TestCertificates",
    "TestMachine", "TestUAF", "CFIDO2",
  ],
  resources: [.copy("Judges")], swiftSettings: strict)

/// A client of FIDO devices that judges our CTAP2 layer: a peer of the tests, part of no product.
let libfido2 = Target.systemLibrary(
  name: "CFIDO2", path: "Tests/CFIDO2", pkgConfig: "libfido2", providers: [.apt(["libfido2-dev"])])

// MARK: - Black-box tests: they run what was built, as anybody would

let blackBoxTests: [Target] = [
  .target(
    name: "ToolSupport", dependencies: ["AuthenticatorCoding", "TestMachine"], path: "Tests/ToolSupport",
    exclude: ["Programs"], swiftSettings: strict),
  tests(
    "ToolTests",
    [
      "ToolSupport", "AuthenticatorTestSupport", "AuthenticatorJourneyServer", "AuthenticatorHTTP", "AuthenticatorCore",
      "AuthenticatorCoding", "AuthenticatorCrypto", "AuthenticatorSQLite", "AuthenticatorKeyStore",
      "DeviceAuthenticators", "KeyStoreBehavior", "TestCertificates", "TestMachine", "TestUAF", "TestVectors",
      "authenticator",
    ]),
]

let package = Package(
  name: "authenticator-kit",
  products: [
    .library(name: "AuthenticatorKit", targets: ["AuthenticatorKit"]),
    .library(name: "DeviceAuthenticators", targets: ["DeviceAuthenticators", "AuthenticatorKeyStore"]),
    .library(name: "AuthenticatorWebAuthn", targets: ["AuthenticatorWebAuthn"]),
    .library(name: "AuthenticatorPublicSuffix", targets: ["AuthenticatorPublicSuffix"]),
    .library(name: "AuthenticatorLinux", targets: ["AuthenticatorLinux"]),
    .library(name: "AuthenticatorRelyingParty", targets: ["AuthenticatorRelyingParty"]),
    .library(name: "AuthenticatorJourneyServer", targets: ["AuthenticatorJourneyServer"]),
    .library(name: "AuthenticatorTestSupport", targets: ["AuthenticatorTestSupport"]),
    .executable(name: "authenticator", targets: ["authenticator"]),
  ],
  targets: cLibraries + libraries + tool + examples + benches + fuzzing + testTargets
    + [exampleTests, libfido2, interopTests] + blackBoxTests,
  swiftLanguageModes: [.v6]
)
