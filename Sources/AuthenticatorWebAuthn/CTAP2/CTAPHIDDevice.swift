internal import AuthenticatorCore

/// A CTAP2 authenticator behind CTAPHID's reports (CTAP 2.1 section 11.2), without the wire: reports in, reports out.
///
/// Not `Sendable`: it runs on its caller's actor. A report that arrives while a message is being answered is handled at
/// once: a cancel ends the operation, anything else is told that the channel is busy.
public final class CTAPHIDDevice {
  private static let broadcast: UInt32 = 0xFFFF_FFFF
  /// The most channels that are open at a time; the one opened first goes.
  private static let maximumChannels = 64
  /// How long a message may lack its next report. Then another channel may speak, or one silent client would keep the
  /// device from everybody.
  private static let patience: Duration = .seconds(3)

  private let authenticator: CTAP2Authenticator
  private var channels: [UInt32] = []
  private var assembler: CTAPHIDAssembler?
  /// The uptime at which the assembler is given up.
  private var assemblyDeadline: Duration = .zero
  private var running: (channel: UInt32, waitsForPerson: Bool, cancel: () -> Void)?

  /// A device with one authenticator behind it.
  public init(_ authenticator: CTAP2Authenticator) { self.authenticator = authenticator }

  /// The report to be sent at least every 100 milliseconds while a message is being answered, for clients give a silent
  /// device up (CTAP 2.1 section 11.2.9.1.7); nil while none is.
  public var keepAlive: [UInt8]? {
    guard let running else { return nil }
    // 2: somebody is to touch the device; 1: it works by itself.
    let status: UInt8 = running.waitsForPerson ? 2 : 1
    return CTAPHIDMessage(channel: running.channel, command: .keepAlive, payload: [status]).reports.first
  }

  /// Takes one report and returns what is to be sent back, which is nothing while a message is incomplete.
  public func receive(_ report: [UInt8], isolation: isolated (any Actor)? = #isolation) async -> [[UInt8]] {
    guard let channel = CTAPHIDAssembler.channel(report) else { return [] }
    do {
      guard let message = try assemble(report, channel) else { return [] }
      return try await answer(message, isolation).map(\.reports) ?? []
    } catch {
      let code = (error as? CTAPHIDError) ?? .invalidParameter
      return CTAPHIDMessage(channel: channel, command: .error, payload: [code.rawValue]).reports
    }
  }

  private func assemble(_ report: [UInt8], _ channel: UInt32) throws(CTAPHIDError) -> CTAPHIDMessage? {
    let now = authenticator.environment.uptime()
    let isLate = assembler != nil && now >= assemblyDeadline
    if var assembler, assembler.message.channel == channel, report[4] & 0x80 == 0 {
      self.assembler = nil
      guard !isLate else { throw .timeout }
      try assembler.add(report)
      return keep(assembler, now)
    }
    if isLate { self.assembler = nil }
    guard let assembler = try CTAPHIDAssembler(first: report) else {
      // A report that continues nothing is ignored.
      return nil
    }
    // A first report in the middle of another channel's message finds the device busy; on its own channel it starts
    // over.
    if let present = self.assembler, present.message.channel != channel { throw .channelBusy }
    self.assembler = nil
    // What could not be answered in the end is not waited for.
    if assembler.message.command == .initialize {
      guard assembler.isComplete else { throw .invalidLength }
    } else {
      guard channels.contains(channel) else { throw .invalidChannel }
    }
    return keep(assembler, now)
  }

  /// The message when it is complete; nil while its reports are waited for.
  private func keep(_ assembler: CTAPHIDAssembler, _ now: Duration) -> CTAPHIDMessage? {
    guard !assembler.isComplete else { return assembler.message }
    self.assembler = assembler
    assemblyDeadline = now + Self.patience
    return nil
  }

  private func answer(_ message: CTAPHIDMessage, _ isolation: isolated (any Actor)?) async throws -> CTAPHIDMessage? {
    if message.command == .initialize { return try initialize(message) }
    guard message.channel != Self.broadcast, channels.contains(message.channel) else {
      throw CTAPHIDError.invalidChannel
    }
    switch message.command {
    case .ping: return message
    case .cancel:
      if let running, running.channel == message.channel { running.cancel() }
      return nil
    case .cbor:
      guard running == nil else { throw CTAPHIDError.channelBusy }
      guard !message.payload.isEmpty else { throw CTAPHIDError.invalidLength }
      let task = Task { [authenticator] in
        _ = isolation
        return await authenticator.respond(to: message.payload)
      }
      let waitsForPerson = message.payload.first.flatMap(CTAP2Command.init(rawValue:))?.waitsForPerson ?? false
      running = (message.channel, waitsForPerson, { task.cancel() })
      defer { running = nil }
      return CTAPHIDMessage(channel: message.channel, command: .cbor, payload: await task.value)
    default: throw CTAPHIDError.invalidCommand
    }
  }

  /// A number that is not taken; a random source that yields none in a few tries is broken.
  private func newChannel() throws -> UInt32 {
    for _ in 0..<16 {
      let channel = try authenticator.environment.random(4).reduce(0) { $0 << 8 | UInt32($1) }
      if channel != 0, channel != Self.broadcast, !channels.contains(channel) { return channel }
    }
    throw CTAPHIDError.channelBusy
  }

  /// Opens a channel, or starts one over (CTAP 2.1 section 11.2.9.1.3).
  private func initialize(_ message: CTAPHIDMessage) throws -> CTAPHIDMessage {
    guard message.payload.count == 8 else { throw CTAPHIDError.invalidLength }
    var channel = message.channel
    if channel == Self.broadcast {
      channel = try newChannel()
      channels.append(channel)
      if channels.count > Self.maximumChannels { channels.removeFirst() }
    } else if !channels.contains(channel) {
      throw CTAPHIDError.invalidChannel
    } else if let running, running.channel == channel {
      running.cancel()
    }
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: channel >> (24 - 8 * $0)) }
    // Interface version 2, device version 1.0.0, and the capabilities CBOR and no MSG.
    return CTAPHIDMessage(
      channel: message.channel, command: .initialize, payload: message.payload + bytes + [2, 1, 0, 0, 0x04 | 0x08])
  }
}
