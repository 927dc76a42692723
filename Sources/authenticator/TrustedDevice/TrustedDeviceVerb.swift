import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorHTTP
import AuthenticatorKeyStore
import AuthenticatorTrustedDevice
import DeviceAuthenticators

/// A verb that works with one trusted-device client.
protocol TrustedDeviceVerb: Verb {
  var options: TrustedDeviceOptions { get }
  /// Whether a store is made when there is none: where nothing is to be kept, nothing is made.
  var makesStore: Bool { get }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport
}

/// What a verb prints, and how it ends.
struct TrustedDeviceReport {
  let json: JSONValue
  let lines: [String]
  var status = ExitStatus.success
}

/// What a verb works with.
struct TrustedDeviceRun {
  let client: TrustedDeviceClient
  let questions: Questions?
  let console: Console
}

extension TrustedDeviceVerb {
  func run(_ console: Console) async throws -> ExitStatus {
    let device = try Device(options.device, console: console)
    let existing = try await device.store.existing()
    let store: any KeyStore =
      if let existing {
        existing
      } else if makesStore || options.deviceToken != nil {
        try await device.store.opened()
      } else {
        try InMemoryKeyStore(environment: device.person.environment)
      }
    let client = try client(of: device, over: store, console)
    let run = TrustedDeviceRun(
      client: client, questions: Questions(environment: device.person.environment), console: console)
    do {
      if let token = options.deviceToken { try await client.adopt(deviceToken: token) }
      let report = try await perform(run)
      try console.print(report.json, lines: report.lines)
      return report.status
    } catch {
      throw Self.failure(error)
    }
  }

  private func client(
    of device: Device, over store: any KeyStore, _ console: Console
  ) throws -> TrustedDeviceClient {
    let transport: CurlTransport
    do {
      transport = try CurlTransport(CurlConfiguration(certificateFile: options.certificateFile))
    } catch let error as AuthenticatorError where error.code == .invalidRequest {
      throw Failure.unusable("inputUnusable", error.reason, stage: error.stage)
    }
    var configuration = options.configuration
    configuration.authenticators = device.trustedDevices
    return TrustedDeviceClient(
      configuration, transport: ObservedTransport(transport, console: console), keyStore: store,
      verifier: device.person.verifier, environment: device.person.environment,
      onEvent: { console.trace("event: \(TrustedDeviceEventText.line($0))") })
  }

  /// A server that no byte reached is an unusable environment; what was refused before anything was sent is usage.
  private static func failure(_ error: any Error) -> Failure {
    var failure = Failure(error)
    guard let error = error as? AuthenticatorError else { return failure }
    let cause = error.trustedDevice?.cause as? AuthenticatorError ?? error
    if cause.code == .transportFailed, cause.isSafeToRetry { failure.status = .unusable }
    if error.code == .invalidRequest { failure.status = .usage }
    if error.trustedDevice?.removedLocalState == true { failure.message += "; its key here was removed" }
    return failure
  }
}

extension TrustedDevice {
  /// One line for people.
  var line: String {
    let used = lastUsedAt.map { "last used \(RFC3339.text($0))" } ?? "not used yet"
    return [id, name ?? "-", platform.rawValue, status.rawValue, "enrolled \(RFC3339.text(createdAt))", used]
      .joined(separator: "  ")
  }
}

extension Optional where Wrapped == String {
  /// The text, or null.
  var json: JSONValue { map(JSONValue.string) ?? .null }
}
