/// What a message over CTAPHID is for (CTAP 2.1 section 11.2.9).
public struct CTAPHIDCommand: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Is echoed.
  public static let ping = CTAPHIDCommand(rawValue: 0x01)
  /// Opens a channel.
  public static let initialize = CTAPHIDCommand(rawValue: 0x06)
  /// Holds a CTAP2 message.
  public static let cbor = CTAPHIDCommand(rawValue: 0x10)
  /// Withdraws the request of its channel.
  public static let cancel = CTAPHIDCommand(rawValue: 0x11)
  /// Says that the device still works on it.
  public static let keepAlive = CTAPHIDCommand(rawValue: 0x3B)
  /// Holds an error code.
  public static let error = CTAPHIDCommand(rawValue: 0x3F)
}

/// Why a device refuses a packet (CTAP 2.1 section 11.2.9.1.6).
enum CTAPHIDError: UInt8, Error {
  case invalidCommand = 0x01
  case invalidParameter = 0x02
  case invalidLength = 0x03
  case invalidSequence = 0x04
  case timeout = 0x05
  case channelBusy = 0x06
  case invalidChannel = 0x0B
}

/// A message in one or more reports of 64 bytes (CTAP 2.1 section 11.2.4): the first report holds channel, command,
/// length and 57 bytes, each further one channel, sequence number and 59 bytes.
public struct CTAPHIDMessage: Hashable, Sendable {
  /// The size of a report.
  public static let reportBytes = 64
  /// The longest message: one first report and 128 further ones.
  public static let maximumBytes = 7609
  private static let firstBytes = 57
  private static let furtherBytes = 59

  /// The channel it belongs to.
  public var channel: UInt32
  /// What it is.
  public var command: CTAPHIDCommand
  /// Its content, put together from its packets.
  public var payload: [UInt8]

  /// See the properties.
  public init(channel: UInt32, command: CTAPHIDCommand, payload: [UInt8]) {
    self.channel = channel
    self.command = command
    self.payload = payload
  }

  /// The message in reports; what is longer than `maximumBytes` is cut.
  public var reports: [[UInt8]] {
    let payload = payload.prefix(Self.maximumBytes)
    let head = (0..<4).map { UInt8(truncatingIfNeeded: channel >> (24 - 8 * $0)) }
    let size = [UInt8(truncatingIfNeeded: payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
    var reports = [Self.padded(head + [command.rawValue | 0x80] + size + payload.prefix(Self.firstBytes))]
    var rest = payload.dropFirst(Self.firstBytes)
    var sequence: UInt8 = 0
    while !rest.isEmpty {
      reports.append(Self.padded(head + [sequence] + rest.prefix(Self.furtherBytes)))
      rest = rest.dropFirst(Self.furtherBytes)
      sequence &+= 1
    }
    return reports
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: max(0, reportBytes - bytes.count))
  }
}

/// Puts the reports of one message together again.
struct CTAPHIDAssembler {
  private(set) var message: CTAPHIDMessage
  private let size: Int
  private var nextSequence: UInt8 = 0

  /// Starts with a first report; nil for a further one.
  /// - Throws: `invalidLength` for an announced length that no message has.
  init?(first report: [UInt8]) throws(CTAPHIDError) {
    guard let channel = Self.channel(report), report[4] & 0x80 != 0 else { return nil }
    size = Int(report[5]) << 8 | Int(report[6])
    guard size <= CTAPHIDMessage.maximumBytes else { throw .invalidLength }
    message = CTAPHIDMessage(
      channel: channel, command: CTAPHIDCommand(rawValue: report[4] & 0x7F), payload: Array(report[7...].prefix(size)))
  }

  var isComplete: Bool { message.payload.count == size }

  /// Adds the next report.
  /// - Throws: `invalidSequence` for any other than the next one.
  mutating func add(_ report: [UInt8]) throws(CTAPHIDError) {
    guard !isComplete, report.count == CTAPHIDMessage.reportBytes, report[4] == nextSequence else {
      throw .invalidSequence
    }
    message.payload += report[5...].prefix(size - message.payload.count)
    nextSequence += 1
  }

  /// The channel of a report; nil unless it has 64 bytes.
  static func channel(_ report: [UInt8]) -> UInt32? {
    guard report.count == CTAPHIDMessage.reportBytes else { return nil }
    return report[..<4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
