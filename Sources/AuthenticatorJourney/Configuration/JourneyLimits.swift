import AuthenticatorCoding

/// What a server may cost its client. An answer beyond a limit is refused as `invalidMessage`, a flow beyond
/// `totalTime` as `timedOut`; nothing that was refused has any effect.
public struct JourneyLimits: Hashable, Sendable {
  /// Bytes of one answer; enforced by the transport while the answer arrives.
  public var answerBytes: Int
  /// Arrays and objects inside each other.
  public var jsonDepth: Int
  /// Values in one answer, containers and their contents counted: each takes many times the memory of its text.
  public var jsonValues: Int
  /// Bytes of one string or number in an answer.
  public var textBytes: Int
  /// Callbacks in one node.
  public var callbacks: Int
  /// Nodes in one flow.
  public var steps: Int
  /// From start to the last answer of a flow, the person's thinking included.
  public var totalTime: Duration
  /// The longest wait a polling node may ask for; longer ones are shortened to it.
  public var pollingWait: Duration
  /// The shortest; a node that asks for less, or for nothing, is posted no sooner.
  public var shortestPollingWait: Duration

  /// Makes limits; each has the standard value unless given.
  public init(
    answerBytes: Int = 1 << 20, jsonDepth: Int = 64, jsonValues: Int = 1 << 15, textBytes: Int = 1 << 16,
    callbacks: Int = 100, steps: Int = 200, totalTime: Duration = .seconds(3600), pollingWait: Duration = .seconds(60),
    shortestPollingWait: Duration = .milliseconds(250)
  ) {
    self.answerBytes = answerBytes
    self.jsonDepth = jsonDepth
    self.jsonValues = jsonValues
    self.textBytes = textBytes
    self.callbacks = callbacks
    self.steps = steps
    self.totalTime = totalTime
    self.pollingWait = pollingWait
    self.shortestPollingWait = shortestPollingWait
  }

  /// 1 MiB, depth 64, 32,768 values, texts of 64 KiB, 100 callbacks, 200 steps, one hour, polls a quarter of a second
  /// to a minute apart.
  public static let standard = JourneyLimits()
}

extension JSONLimits {
  /// What an answer may be.
  init(_ limits: JourneyLimits) {
    self.init(
      bytes: limits.answerBytes, depth: limits.jsonDepth, textBytes: limits.textBytes, values: limits.jsonValues)
  }
}
