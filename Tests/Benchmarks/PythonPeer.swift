import Foundation

/// Python packages at the same work, in the same run: `Tests/Benchmarks/Peers/peers.py` in an environment of its own,
/// whose interpreter is in PEERS_PYTHON.
struct PythonPeer: Sendable {
  /// How long each reading lasts.
  let seconds: Double

  /// Operations a second.
  /// - Parameter arguments: what to do, and on which file.
  func reading(_ arguments: String...) -> Benchmark.Quantity {
    .reading { [seconds] in
      guard let python = ProcessInfo.processInfo.environment["PEERS_PYTHON"] else {
        throw Floor.Failed(what: "PEERS_PYTHON is not set")
      }
      let text = try Program.output(python, ["Tests/Benchmarks/Peers/peers.py", "\(seconds)"] + arguments)
      guard let rate = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
        throw Floor.Failed(what: "a peer printed \(text)")
      }
      return rate
    }
  }
}
