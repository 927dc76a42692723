import Foundation

/// `authenticator-bench [--quick] [--only ID,…] [--json FILE]`: measures the package against floors of the same run.
///
/// Numbers are medians of interleaved rounds in a release build; only the ratios travel from one machine to another.
@main
struct AuthenticatorBench {
  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
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
      SigningSuite(workspace: workspace), RelyingPartySuite(), PINSuite(workspace: workspace),
      StoreSuite(workspace: workspace),
      ServerSuite(workspace: workspace), ToolSuite(workspace: workspace),
    ]
    let runner = Runner(effort: effort)
    var report = Report()
    print(Report.heading)
    for suite in suites {
      for benchmark in try await suite.benchmarks(effort) where only.isEmpty || only.contains(benchmark.id) {
        let finding = try await runner.run(benchmark)
        report.findings.append(finding)
        print(Report.line(finding))
        fflush(nil)
      }
    }
    if let file { try Data((report.json.serializedString() + "\n").utf8).write(to: URL(fileURLWithPath: file)) }
    let missed = report.findings.filter { $0.isMet == false }.map(\.benchmark.id)
    let goals = report.findings.filter { $0.isMet != nil }.count
    print(
      "\(goals - missed.count) of \(goals) goals met"
        + (missed.isEmpty ? "" : "; missed: \(missed.joined(separator: ", "))"))
  }
}
