import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Synchronization

/// Keeps a set of credentials, as a server that replaces a user's former one does: enough to see both sides meet.
final class TinyServer: Sendable {
  private struct State {
    var devices: [String: (status: String, name: String?, created: UnixTime)] = [:]
    var next = 1
  }
  private let state: Mutex<State>
  private let now: UnixTime

  init(at now: UnixTime, active ids: Set<String> = []) {
    self.now = now
    state = Mutex(State())
    state.withLock { state in for id in ids { state.devices[id] = ("active", "Test device", now) } }
  }

  var active: Set<String> {
    state.withLock { Set($0.devices.filter { $0.value.status == "active" }.keys) }
  }

  func revoke(_ id: String) { state.withLock { $0.devices[id]?.status = "revoked" } }
  func forget(_ id: String) { state.withLock { $0.devices[id] = nil } }

  private func device(_ id: String, _ state: State) -> JSONValue {
    let entry = state.devices[id]
    return Wire.device(id, name: entry?.name, status: entry?.status ?? "revoked", at: entry?.created ?? now)
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    let path = request.url.path.split(separator: "/").map(String.init)
    let json: JSONValue? = state.withLock { state in
      switch (request.method, path.dropFirst(2).first, path.last) {
      case ("POST", "trusted_devices", "prepare"):
        return Wire.envelope(Wire.challenge(expires: now.advanced(by: .seconds(300))))
      case ("POST", "trusted_devices", "attempt"):
        let id = "tdc_\(state.next)"
        state.next += 1
        for key in state.devices.keys { state.devices[key]?.status = "revoked" }
        state.devices[id] = ("active", request.form["name"], now)
        return Wire.envelope(device(id, state))
      case ("GET", "trusted_devices", _):
        let ids = state.devices.filter { $0.value.status == "active" }.keys.sorted()
        return Wire.envelope(.array(ids.map { device($0, state) }))
      case ("DELETE", "trusted_devices", let id?):
        guard state.devices[id] != nil else { return nil }
        state.devices[id]?.status = "revoked"
        return Wire.envelope(device(id, state))
      default: return nil
      }
    }
    guard let json else {
      return HTTPResponse(status: 404, fields: [], body: Wire.refusal("resource_not_found").serialized())
    }
    return HTTPResponse(status: 200, fields: [], body: json.serialized())
  }
}

extension ScriptedTransport {
  /// Answers the next requests from a server, as many as a test could ever make.
  func play(_ server: TinyServer) {
    for _ in 0..<200 { add { server.answer($0) } }
  }
}
