import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorHTTP
import AuthenticatorKeyStore
import AuthenticatorTrustedDevice
import DeviceAuthenticators
import Synchronization

/// A verb that works with one trusted-device client.
protocol TrustedDeviceVerb: Verb {
  var options: TrustedDeviceOptions { get }
  /// Whether a store is made when there is none: where nothing is to be kept, nothing is made.
  var makesStore: Bool { get }
  /// Whether destroying keys here is what it is for: then it has not done it when one is left.
  var removesKeys: Bool { get }

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
  /// The options that lead to the same server.
  let address: String
  let questions: Questions?
  let console: Console
}

/// What a verb could not do at once.
final class LeftUndone: Sendable {
  private let codes = Mutex<[AuthenticatorError.Code]>([])

  func note(_ event: TrustedDeviceEvent) {
    guard case .postponed(.removal, let code) = event else { return }
    codes.withLock { $0.append(code) }
  }

  /// Why keys could not be destroyed.
  var removals: [AuthenticatorError.Code] { codes.withLock { $0 } }
}

extension TrustedDeviceVerb {
  var removesKeys: Bool { false }

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
    let left = LeftUndone()
    let client = try client(of: device, over: store, console, left)
    let run = TrustedDeviceRun(
      client: client, address: options.address, questions: Questions(environment: device.person.environment),
      console: console)
    do {
      if let token = options.deviceToken { try await client.adopt(deviceToken: token) }
      let report = try await perform(run)
      let isKept = try await keep(client, console)
      try console.print(report.json, lines: report.lines)
      for code in left.removals { console.say("a key here could not be destroyed, which is tried again: \(code)") }
      guard report.status == .success else { return report.status }
      return isKept && (left.removals.isEmpty || !removesKeys) ? .success : .unusable
    } catch {
      throw Self.failure(error)
    }
  }

  /// What the server said counts in this run even when it cannot be written down; the next run would not know it.
  /// - Throws: when another process has signed in with the same store meanwhile. One of both can be kept: this one's
  ///   session ends.
  private func keep(_ client: TrustedDeviceClient, _ console: Console) async throws -> Bool {
    do {
      try await client.keepState()
      return true
    } catch let error as AuthenticatorError where error.code == .busy {
      do { _ = try await client.endSession(everywhere: true) } catch {
        console.trace("not signed out: \(Failure(error).code)")
      }
      throw error
    } catch {
      let failure = Failure(error)
      console.say("the session could not be saved in the key store: \(failure.message) (\(failure.code))")
      return false
    }
  }

  private func client(
    of device: Device, over store: any KeyStore, _ console: Console, _ left: LeftUndone
  ) throws -> TrustedDeviceClient {
    let transport: CurlTransport
    do {
      transport = try CurlTransport(CurlConfiguration(certificateFile: options.certificateFile))
    } catch let error as AuthenticatorError where error.code == .invalidRequest {
      throw Failure.unusable("inputUnusable", error.reason, stage: error.stage)
    }
    let report = TrustedDeviceEventText.reporter(on: console)
    var configuration = options.configuration
    configuration.authenticators = device.trustedDevices
    configuration.installationMarkers = device.installationMarkers
    return TrustedDeviceClient(
      configuration, transport: ObservedTransport(transport, console: console), keyStore: store,
      verifier: device.person.verifier, environment: device.person.environment,
      onEvent: { event in
        report(event)
        left.note(event)
      })
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
