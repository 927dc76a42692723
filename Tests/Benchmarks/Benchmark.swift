/// One quantity measured against the least it could be, taken in the same run.
struct Benchmark: Sendable {
  /// Which side of the goal is the good one.
  enum Aim: String, Sendable {
    case atLeast
    case atMost
  }

  /// How a number is obtained.
  enum Quantity: Sendable {
    /// Operations a second: the closure performs as many as it is told.
    case rate(@Sendable (_ count: Int) async throws -> Void)
    /// Microseconds an operation: the closure performs as many as it is told.
    case time(@Sendable (_ count: Int) async throws -> Void)
    /// A number that the closure finds by its own means.
    case reading(@Sendable () async throws -> Double)
  }

  /// A short stable name, the one of the goals where there is one.
  var id: String
  /// What is measured, with the state of keys, durability and derivation that the number holds for.
  var what: String
  /// The unit of `value` and `floor`.
  var unit: String
  /// What the package does.
  var ours: Quantity
  /// The least it could cost; without one, the goal is about the value itself.
  var floor: Quantity?
  /// For the ratio of value and floor, or for the value when there is no floor; nil: for information.
  var goal: Double?
  var aim: Aim = .atLeast
}

/// What a benchmark found: medians over the rounds.
struct Finding: Sendable {
  var benchmark: Benchmark
  var values: [Double]
  var floors: [Double]

  var value: Double { values.median }
  var floor: Double? { floors.isEmpty ? nil : floors.median }

  /// The median of the rounds' own ratios: both halves of one round met the same neighbors on the machine.
  var ratio: Double? {
    floors.isEmpty ? nil : zip(values, floors).map { $0 / $1 }.median
  }

  /// Nil without a goal.
  var isMet: Bool? {
    benchmark.goal.map { goal in
      let reached = ratio ?? value
      return benchmark.aim == .atLeast ? reached >= goal : reached <= goal
    }
  }
}

extension [Double] {
  /// The middle value; not a number when there is none.
  var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return .nan }
    return sorted.count % 2 == 1
      ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
  }
}
