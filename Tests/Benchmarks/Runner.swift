/// How long and how often to measure.
struct Effort: Sendable {
  /// Interleaved rounds of floor and value.
  var rounds: Int
  /// How long one half of a round lasts, about.
  var slice: Duration
  /// How many keys the large store holds.
  var largeStore: Int
  var isQuick: Bool

  static let full = Effort(rounds: 5, slice: .milliseconds(600), largeStore: 1_000_000, isQuick: false)
  static let quick = Effort(rounds: 3, slice: .milliseconds(100), largeStore: 20_000, isQuick: true)
}

/// Benchmarks that share what they are set up with.
protocol Suite {
  /// What `--only` calls it.
  var name: String { get }

  /// Prepares everything that is not measured.
  func benchmarks(_ effort: Effort) async throws -> [Benchmark]
}

/// Measures benchmarks in interleaved rounds: floor, value, floor, value, …
struct Runner: Sendable {
  var effort: Effort

  func run(_ benchmark: Benchmark) async throws -> Finding {
    var finding = Finding(benchmark: benchmark, values: [], floors: [])
    // The first use warms caches and finds out how many operations fill a slice.
    let floorCount = try await calibrate(benchmark.floor)
    let count = try await calibrate(benchmark.ours)
    for _ in 0..<effort.rounds {
      if let floor = benchmark.floor { finding.floors.append(try await measure(floor, count: floorCount)) }
      finding.values.append(try await measure(benchmark.ours, count: count))
    }
    return finding
  }

  private func measure(_ quantity: Benchmark.Quantity, count: Int) async throws -> Double {
    switch quantity {
    case .rate(let perform):
      Double(count) / (try await ContinuousClock().measure { try await perform(count) }).inSeconds
    case .time(let perform):
      (try await ContinuousClock().measure { try await perform(count) }).inSeconds * 1e6 / Double(count)
    case .reading(let read): try await read()
    }
  }

  /// How many operations last about one slice.
  private func calibrate(_ quantity: Benchmark.Quantity?) async throws -> Int {
    guard let quantity else { return 1 }
    let perform: @Sendable (Int) async throws -> Void
    switch quantity {
    case .rate(let closure), .time(let closure): perform = closure
    case .reading: return 1
    }
    var count = 1
    while true {
      let duration = try await ContinuousClock().measure { try await perform(count) }
      if duration >= effort.slice { return max(1, count / 2) }
      if duration * 8 >= effort.slice {
        return max(1, Int(Double(count) * effort.slice.inSeconds / duration.inSeconds))
      }
      count *= 4
    }
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
