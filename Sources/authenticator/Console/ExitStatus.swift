/// How the tool ends; part of its contract.
enum ExitStatus: Int32, Sendable {
  case success = 0
  /// Refused or failed by protocol; a typed code was printed.
  case refused = 1
  /// The command line is wrong.
  case usage = 2
  /// Input or environment is unusable.
  case unusable = 3
}
