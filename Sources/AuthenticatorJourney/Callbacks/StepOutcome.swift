/// What became of a step.
public enum StepOutcome {
  /// The server went on: the node that followed is no failure and does not ask the same again.
  case accepted(JourneyNode)
  /// The server answered and said no, or asks the same question again.
  case refused(JourneyNode)
  /// Nobody can tell: the answer did not arrive, was not understood, or the server failed.
  case unknown
}
