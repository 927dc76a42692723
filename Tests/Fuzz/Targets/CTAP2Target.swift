import AuthenticatorCBOR
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import DeviceAuthenticators

extension FuzzTarget {
  /// A CTAP2 authenticator that has one credential and a person who agrees three times, in a stranger's hands.
  ///
  /// An input is a number of pieces, each two bytes of length and the piece: messages when the first byte is even, in
  /// any order, otherwise reports of CTAPHID, cut or filled to their size. `@@@@` in a report stands for an open
  /// channel.
  static let ctap2 = FuzzTarget(name: "ctap2", maximumLength: 2048) { bytes in
    guard let kind = bytes.first else { return }
    let authenticator = try await makeAuthenticator()
    if kind & 1 == 0 {
      for message in pieces(bytes.dropFirst()) { try check(await authenticator.respond(to: message)) }
    } else {
      try await drive(CTAPHIDDevice(authenticator), with: pieces(bytes.dropFirst()))
    }
  }

  private static func makeAuthenticator() async throws -> CTAP2Authenticator {
    let device = try TestDevice(
      ScriptedDevice(
        sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913",
        steps: [.match(), .match(), .match(), .match()]), instance: "")
    let factories = AuthenticatorFactories.defaults(
      applicationPIN: ApplicationPINConfig(pinCollector: device.verifier))
    let platform = WebAuthnPlatformAuthenticator(
      wrapping: try await factories.make(.biometricOnly, device.context), factories: factories)
    let authenticator = try CTAP2Authenticator(platform)
    let made = await authenticator.respond(to: creation)
    try expect(made.first == 0, "a valid message makes a credential")
    return authenticator
  }

  private static let creation: [UInt8] = {
    let hash = [UInt8](repeating: 7, count: 32)
    let parameters: CBORMap = [
      1: .bytes(hash), 2: ["id": "example.org", "name": "Example"],
      3: ["id": .bytes([1]), "name": "alice", "displayName": "Alice"], 4: [["alg": -7, "type": "public-key"]],
      7: ["rk": true],
    ]
    return [1] + CBORValue.map(parameters).encoded()
  }()

  private static func pieces(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    var (pieces, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes)
    while rest.count > 2, pieces.count < 16 {
      let count = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
      pieces.append(Array(rest.dropFirst(2).prefix(count)))
      rest = rest.dropFirst(2 + count)
    }
    return pieces
  }

  private static func check(_ answer: [UInt8]) throws {
    guard let status = answer.first else { throw Broken(promise: "an answer has a status") }
    guard status == 0 else { return try expect(answer.count == 1, "a refusal is a status alone") }
    guard answer.count > 1 else { return }
    let value = try? CBORValue.decode(Array(answer.dropFirst()), limits: .attestationObject)
    try expect(value?.mapValue != nil, "an answer is one map in CTAP2's form")
  }

  private static func drive(_ device: CTAPHIDDevice, with pieces: [[UInt8]]) async throws {
    let size = CTAPHIDMessage.reportBytes
    func opened() async -> [UInt8] {
      let opening = CTAPHIDMessage(channel: 0xFFFF_FFFF, command: .initialize, payload: Array(1...8))
      return Array(await device.receive(opening.reports[0]).first?[15..<19] ?? [])
    }
    let channel = await opened()
    try expect(channel.count == 4, "a channel is opened")
    for piece in pieces {
      var report = Array((piece + [UInt8](repeating: 0, count: size)).prefix(size))
      if report.starts(with: Array("@@@@".utf8)) { report.replaceSubrange(..<4, with: channel) }
      let answers = await device.receive(report)
      try expect(answers.allSatisfy { $0.count == size }, "a report has its size")
      try expect(answers.count <= 129, "a message is no longer than any may be")
      try expect(device.keepAlive == nil, "what is answered is not under way")
    }
  }
}
