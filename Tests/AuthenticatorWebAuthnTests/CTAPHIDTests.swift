import AuthenticatorCBOR
import AuthenticatorTestSupport
import Testing

@testable import AuthenticatorWebAuthn

@Suite("CTAPHID") struct CTAPHIDTests {
  private func device(_ platform: Platform) async throws -> CTAPHIDDevice {
    CTAPHIDDevice(try CTAP2Authenticator(try await platform.authenticator()))
  }

  private func send(_ message: CTAPHIDMessage, to device: CTAPHIDDevice) async throws -> CTAPHIDMessage? {
    var answers: [[UInt8]] = []
    for report in message.reports { answers += await device.receive(report) }
    guard let first = answers.first else { return nil }
    var assembler = try #require(try CTAPHIDAssembler(first: first))
    for report in answers.dropFirst() { try assembler.add(report) }
    #expect(assembler.isComplete)
    return assembler.message
  }

  private func channel(_ device: CTAPHIDDevice) async throws -> UInt32 {
    let answer = try await send(
      CTAPHIDMessage(channel: 0xFFFF_FFFF, command: .initialize, payload: Array(1...8)), to: device)
    let payload = try #require(answer?.payload)
    #expect(Array(payload[..<8]) == Array(1...8) && payload.count == 17 && payload[16] == 0x0C)
    return payload[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
  }

  @Test(arguments: [0, 1, 57, 58, 116, 117, 7609])
  func messagesOfEveryLengthSurviveTheirReports(_ length: Int) throws {
    let message = CTAPHIDMessage(
      channel: 0x0102_0304, command: .cbor, payload: (0..<length).map { UInt8(truncatingIfNeeded: $0) })
    #expect(message.reports.allSatisfy { $0.count == 64 })
    var assembler = try #require(try CTAPHIDAssembler(first: message.reports[0]))
    for report in message.reports.dropFirst() { try assembler.add(report) }
    #expect(assembler.isComplete && assembler.message == message)
  }

  @Test func echoesAndAnswers() async throws {
    let device = try await device(try Platform())
    let channel = try await channel(device)
    let ping = CTAPHIDMessage(channel: channel, command: .ping, payload: [UInt8](repeating: 7, count: 200))
    #expect(try await send(ping, to: device) == ping)
    let info = try await send(CTAPHIDMessage(channel: channel, command: .cbor, payload: [4]), to: device)
    #expect(info?.payload.first == 0 && (info?.payload.count ?? 0) > 57)
  }

  @Test func refusesBrokenTraffic() async throws {
    let device = try await device(try Platform())
    let channel = try await channel(device)
    func error(_ reports: [[UInt8]]) async -> UInt8? {
      var last: [[UInt8]] = []
      for report in reports { last = await device.receive(report) }
      guard let answer = last.first, answer[4] == 0xBF else { return nil }
      return answer[7]
    }
    let long = CTAPHIDMessage(channel: channel, command: .ping, payload: [UInt8](repeating: 1, count: 200)).reports
    // A report left out, an unknown channel, an unknown command, a length that no message has.
    #expect(await error([long[0], long[2]]) == 0x04)
    #expect(await error(CTAPHIDMessage(channel: channel &+ 1, command: .ping, payload: []).reports) == 0x0B)
    #expect(
      await error(CTAPHIDMessage(channel: channel, command: .init(rawValue: 0x55), payload: []).reports) == 0x01)
    #expect(await error([Array(long[0][..<5]) + [0xFF, 0xFF] + long[0][7...]]) == 0x03)
    #expect(await error(CTAPHIDMessage(channel: channel, command: .cbor, payload: []).reports) == 0x03)
    // A second channel finds the first one's message half sent.
    #expect(await error([long[0]]) == nil)
    #expect(
      await error(CTAPHIDMessage(channel: channel &+ 1, command: .ping, payload: []).reports) == 0x06)
    // Reports that are none, or continue nothing, are ignored.
    #expect(await device.receive([]).isEmpty)
    #expect(await device.receive([UInt8](repeating: 0, count: 63)).isEmpty)
    #expect(await device.receive([9, 9, 9, 9, 0] + [UInt8](repeating: 0, count: 59)).isEmpty)
  }

  @Test func aClientThatFallsSilentDoesNotKeepTheDevice() async throws {
    let platform = try Platform()
    let device = try await device(platform)
    let (first, second) = (try await channel(device), try await channel(device))
    let long = CTAPHIDMessage(channel: first, command: .ping, payload: [UInt8](repeating: 1, count: 200)).reports
    let ping = CTAPHIDMessage(channel: second, command: .ping, payload: [7])
    #expect(await device.receive(long[0]).isEmpty)
    #expect(try await send(ping, to: device)?.payload == [0x06])
    platform.device.environment.clock.advance(by: .seconds(3))
    #expect(try await send(ping, to: device) == ping)
    // Nor does one that goes on too late.
    #expect(await device.receive(long[0]).isEmpty)
    platform.device.environment.clock.advance(by: .seconds(3))
    #expect(await device.receive(long[1]).first?[7] == 0x05)
    #expect(await device.receive(long[1]).isEmpty, "that message is over")
    // Each report has its own time.
    var last: [[UInt8]] = []
    for report in long {
      last = await device.receive(report)
      platform.device.environment.clock.advance(by: .seconds(2))
    }
    #expect(last.count == long.count)
  }

  @Test func nobodyBeginsAMessageWithoutAChannel() async throws {
    let device = try await device(try Platform())
    let channel = try await channel(device)
    let payload = [UInt8](repeating: 1, count: 200)
    for (stranger, command) in [(channel &+ 1, CTAPHIDCommand.ping), (0, .cbor), (0xFFFF_FFFF, .ping)] {
      let reports = CTAPHIDMessage(channel: stranger, command: command, payload: payload).reports
      #expect(await device.receive(reports[0]).first?[7] == 0x0B)
      #expect(await device.receive(reports[1]).isEmpty)
    }
    let opening = CTAPHIDMessage(channel: 0xFFFF_FFFF, command: .initialize, payload: payload).reports
    #expect(await device.receive(opening[0]).first?[7] == 0x03)
    let ping = CTAPHIDMessage(channel: channel, command: .ping, payload: [7])
    #expect(try await send(ping, to: device) == ping)
  }

  @Test @MainActor func aCancelEndsTheOperation() async throws {
    let platform = try Platform(.noAnswer)
    let device = try await device(platform)
    let channel = try await channel(device)
    let creation = CTAPHIDMessage(
      channel: channel, command: .cbor, payload: [1] + CBORValue.map(CTAP2Client.creation()).encoded())
    #expect(device.keepAlive == nil)
    let task = Task { try await send(creation, to: device) }
    await platform.device.environment.clock.waitForSleepers()
    #expect(device.keepAlive == CTAPHIDMessage(channel: channel, command: .keepAlive, payload: [2]).reports[0])
    let busy = try await send(CTAPHIDMessage(channel: channel, command: .cbor, payload: [4]), to: device)
    #expect(busy?.payload == [0x06])
    #expect(try await send(CTAPHIDMessage(channel: channel, command: .cancel, payload: []), to: device) == nil)
    #expect(try await task.value?.payload == [CTAP2Status.keepaliveCancel.rawValue])
    #expect(device.keepAlive == nil)
  }
}
