import AuthenticatorCoding
import Foundation

/// Findings as a table for people and as JSON for machines.
struct Report {
  var findings: [Finding] = []

  static var heading: String {
    column("id", 14) + column("value", 13) + column("unit", 8) + column("floor", 13) + column("ratio", 8)
      + column("goal", 8) + column("", 8) + "what"
  }

  static func line(_ finding: Finding) -> String {
    let benchmark = finding.benchmark
    let goal = benchmark.goal.map { (benchmark.aim == .atLeast ? "≥ " : "≤ ") + number($0) }
    let verdict = finding.isMet.map { $0 ? "met" : "MISSED" }
    return column(benchmark.id, 14) + column(number(finding.value), 13) + column(benchmark.unit, 8)
      + column(finding.floor.map(number) ?? "–", 13) + column(finding.ratio.map(number) ?? "–", 8)
      + column(goal ?? "–", 8) + column(verdict ?? "–", 8) + benchmark.what
  }

  /// An array of objects, one a benchmark.
  var json: JSONValue {
    .array(
      findings.map { finding in
        let benchmark = finding.benchmark
        var object = JSONObject()
        object["id"] = .string(benchmark.id)
        object["what"] = .string(benchmark.what)
        object["value"] = .double(finding.value)
        object["unit"] = .string(benchmark.unit)
        object["floor"] = finding.floor.map(JSONValue.double) ?? .null
        object["ratio"] = finding.ratio.map(JSONValue.double) ?? .null
        object["goal"] = benchmark.goal.map(JSONValue.double) ?? .null
        object["aim"] = .string(benchmark.aim.rawValue)
        object["met"] = finding.isMet.map(JSONValue.bool) ?? .null
        object["rounds"] = .array(finding.values.map(JSONValue.double))
        object["floorRounds"] = .array(finding.floors.map(JSONValue.double))
        return .object(object)
      })
  }

  private static func number(_ value: Double) -> String {
    let digits = abs(value) >= 1000 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 0.1 ? 2 : 4
    return String(format: "%.\(digits)f", value)
  }

  private static func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
