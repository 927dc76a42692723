internal import AuthenticatorCoding

/// `POST /v1/client/trusted_devices/validate`: whether a credential could still sign in; needs no session.
struct ValidateEndpoint: FrontendEndpoint {
  func respond(to call: inout FrontendCall) async throws -> ServerResponse? {
    let path = call.request.path
    guard path.count == 3, path[0] == "client", call.isDevices(path[1]), path[2] == "validate" else { return nil }
    try call.require("POST")
    try call.requireTrustedDevices()
    let id = try call.request.form().required("trusted_device_id")
    let device = id.utf8.count <= 64 ? try await call.registry.trustedDevice(id, realm: call.realm) : nil
    return try await call.answer(
      ["object": "trusted_device_validation", "valid": .bool(device?.isActive ?? false)])
  }
}
