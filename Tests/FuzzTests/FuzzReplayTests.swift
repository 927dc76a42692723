import FuzzTargets
import Testing

/// The fuzz targets without a fuzzer: their stored inputs, then a second and a half of mutations of them. `make fuzz`
/// searches deeper, guided by coverage. One target at a time, with pauses, so that other tests find a free thread.
@Suite("FuzzTarget", .serialized)
struct FuzzReplayTests {
  static let names = FuzzTarget.all.map(\.name)

  private func target(_ name: String) throws -> FuzzTarget {
    try #require(FuzzTarget.all.first { $0.name == name })
  }

  @Test(arguments: names)
  func keepsItsPromisesForStoredInputs(name: String) async throws {
    let target = try target(name)
    let corpus = try target.corpus()
    #expect(!corpus.isEmpty)
    for input in corpus { try await target.run(input) }
  }

  @Test(arguments: names)
  func keepsItsPromisesForCutAndMutatedInputs(name: String) async throws {
    let target = try target(name)
    let corpus = try target.corpus()
    // Fixed, so that a failure can be repeated.
    let seed = UInt64(20_000) + UInt64(name.utf8.reduce(0) { Int($0) + Int($1) })
    var mutator = Mutator(seed: seed, corpus: corpus, maximumLength: target.maximumLength)
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(1500)
    var tried = 0
    while clock.now < end || tried <= 100 {
      let input = mutator.next()
      do {
        try await target.run(input)
      } catch {
        Issue.record("\(error) for input \(tried) of seed \(seed): \(input)")
        return
      }
      tried += 1
      if tried % 64 == 0 { await Task.yield() }
    }
  }
}
