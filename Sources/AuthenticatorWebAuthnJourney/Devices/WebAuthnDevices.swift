import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorWebAuthn

/// The WebAuthn credentials of the signed-in user, on the server and here.
///
/// Needs a session in the journey. For what is on this device alone, see
/// `WebAuthnJourneyConfiguration.platformAuthenticator()`.
public struct WebAuthnDevices: Sendable {
  private let resources: DeviceResources
  private let context: AuthenticatorContext

  /// - Parameter context: its `instance` must be the journey's server.
  /// - Throws: `invalidRequest`.
  public init(_ journey: Journey, context: AuthenticatorContext) throws {
    guard context.instance == journey.configuration.instance else {
      throw AuthenticatorError(
        .invalidRequest, stage: "devices", reason: "the context's instance is not the journey's server")
    }
    resources = DeviceResources(journey: journey, family: "webauthn")
    self.context = context
  }

  /// Who is signed in.
  /// - Throws: `invalidRequest` when nobody is; `serverRefused`; `invalidMessage`; as the transport.
  public func user() async throws -> SessionUser { try await resources.user() }

  /// The user's credentials on the server, all of them; some may be on other devices.
  /// - Throws: as `user()`; `invalidMessage` also for a list that is not complete, from which nothing must be
  ///   concluded.
  public func list() async throws -> [WebAuthnDevice] { try await list(of: try await user()) }

  private func list(of user: SessionUser) async throws -> [WebAuthnDevice] {
    try await resources.list(of: user).map { entry in
      guard let device = WebAuthnDevice(entry) else {
        throw AuthenticatorError(
          .invalidMessage, stage: "devices", reason: "an entry of the device list names no credential")
      }
      return device
    }
  }

  /// The user's credentials on the server, and what follows from them here: what a listed credential replaced is
  /// destroyed; a listed one that was replaced by one that is not listed takes its place again.
  /// - Throws: as `list()`, and what the store throws.
  @discardableResult
  public func reconcile() async throws -> [WebAuthnDevice] {
    let user = try await user()
    let devices = try await list(of: user)
    let ids = Set(devices.map(\.credentialID))
    let records = try await context.keyStore.records(matching: KeyQuery(instance: context.instance, family: .webAuthn))
    for record in records where Self.isOwned(record, by: user) {
      _ = try await CredentialReplacement(context.keyStore).settle(record, by: ids)
    }
    return devices
  }

  /// Removes a credential, and the one that it replaced here: the server's entry first, then the credential here.
  ///
  /// The credential here goes only when the server's entry is certainly gone, unless `force` is given: then the server
  /// may go on listing it, signing in with it fails, and the device can be registered again. Another user's credential,
  /// about which this user's list says nothing, also goes by force only.
  /// - Parameter id: a credential of this device or of another device of the user.
  /// - Throws: `storageFailed` before anything was done.
  public func delete(_ id: CredentialID, force: Bool = false) async throws -> WebAuthnRemoval {
    let record = try await record(id)
    let remote: WebAuthnRemoval.Half
    var isOpen: AuthenticatorError?
    do {
      let user = try await user()
      if let entry = try await list(of: user).first(where: { $0.credentialID == id }) {
        remote = try await resources.delete(entry.id, of: user) ? .removed : .absent
      } else {
        remote = .absent
        if let record, !Self.isOwned(record, by: user) {
          isOpen = AuthenticatorError(.invalidRequest, stage: "devices", reason: "the credential is another user's")
        }
      }
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .transportFailed, stage: "devices")
      remote = .kept(error)
      isOpen = error
    }
    guard let record else { return WebAuthnRemoval(remote: remote, local: .absent) }
    if let isOpen, !force { return WebAuthnRemoval(remote: remote, local: .kept(isOpen)) }
    return WebAuthnRemoval(remote: remote, local: await destroy(record))
  }

  /// The user handle is the server's text, which encodes the user's name or identifier.
  private static func isOwned(_ record: KeyRecord, by user: SessionUser) -> Bool {
    guard let account = record.owner.account, let text = String(validating: account, as: UTF8.self) else {
      return false
    }
    do {
      let name = String(decoding: try Base64URL.decode(text, padding: .tolerated), as: UTF8.self)
      return name == user.id || user.universalID.hasPrefix("id=\(name),")
    } catch { return false }
  }

  private func record(_ id: CredentialID) async throws -> KeyRecord? {
    let query = KeyQuery(
      instance: context.instance, family: .webAuthn, externalID: id.bytes, states: [.active, .retired])
    return try await context.keyStore.records(matching: query).first
  }

  /// Runs to its end even when the calling task was cancelled: the server's half is done.
  private func destroy(_ record: KeyRecord) async -> WebAuthnRemoval.Half {
    let store = context.keyStore
    do {
      try await Task { try await CredentialReplacement(store).delete(record) }.value
      return .removed
    } catch {
      return .kept(AuthenticatorError.wrapping(error, as: .storageFailed, stage: "devices"))
    }
  }
}
