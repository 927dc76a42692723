import Foundation

/// `authenticator-bench [--quick] [--only SUITE,…] [--json FILE]`: measures the package against floors of the same run.
///
/// Numbers are medians of interleaved rounds in a release build; only the ratios travel from one machine to another.
@main
struct AuthenticatorBench {
  static func main() async {
    do {
      try await run(CommandLine.arguments.dropFirst())
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: ArraySlice<String>) async throws {
    var arguments = arguments
    if arguments.first == "--child" {
      try await Child.run(Array(arguments.dropFirst()))
      return
    }
    var effort = Effort.full
    var only: Set<String> = []
    var file: String?
    while let argument = arguments.popFirst() {
      switch argument {
      case "--quick": effort = .quick
      case "--only": only = Set((arguments.popFirst() ?? "").split(separator: ",").map(String.init))
      case "--json": file = arguments.popFirst()
      default:
        FileHandle.standardError.write(Data("unknown argument \(argument)\n".utf8))
        exit(2)
      }
    }
    try await measure(effort, only: only, file: file)
  }

  /// Off the main actor, where a server, a tool or a background task would be.
  @concurrent
  static func measure(_ effort: Effort, only: Set<String>, file: String?) async throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    let suites: [any Suite] = [
      SigningSuite(workspace: workspace), WebAuthnSuite(workspace: workspace),
      RelyingPartySuite(workspace: workspace),
      UAFRelyingPartySuite(workspace: workspace), UAFClientSuite(workspace: workspace), PINSuite(workspace: workspace),
      LimitsSuite(workspace: workspace),
      StoreSuite(workspace: workspace),
      ServerSuite(workspace: workspace), LoginSuite(workspace: workspace),
      TrustedDeviceSuite(workspace: workspace), AvailabilitySuite(workspace: workspace),
      ToolSuite(workspace: workspace),
    ]
    let runner = Runner(effort: effort)
    var report = Report()
    var failures = 0
    print(Report.heading)
    for suite in suites where only.isEmpty || only.contains(suite.name) {
      do {
        for benchmark in try await suite.benchmarks(effort) {
          let finding = try await runner.run(benchmark)
          report.findings.append(finding)
          print(Report.line(finding))
          fflush(nil)
        }
      } catch {
        // The others are still worth knowing.
        print("\(suite.name): not measured: \(error)")
        failures += 1
      }
    }
    if let file { try Data((report.json.serializedString() + "\n").utf8).write(to: URL(fileURLWithPath: file)) }
    let missed = report.findings.filter { $0.isMet == false }.map(\.benchmark.id)
    let goals = report.findings.filter { $0.isMet != nil }.count
    print(
      "\(goals - missed.count) of \(goals) goals met"
        + (missed.isEmpty ? "" : "; missed: \(missed.joined(separator: ", "))"))
    if failures > 0 { throw Floor.Failed(what: "\(failures) suites were not measured to the end") }
  }
}
