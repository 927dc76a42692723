import AuthenticatorCore

/// How long an answer may be used again (RFC 9111, sections 4.2 and 5.2.2).
enum FacetListLifetime {
  /// Zero: not at all. Without any statement an answer is not kept.
  static func of(_ response: HTTPResponse, now: UnixTime) -> Duration {
    let directives = response.values("Cache-Control").flatMap { $0.split(separator: ",") }
      .map { $0.trimmed.lowercased() }
    guard !directives.contains(where: { $0.hasPrefix("no-store") || $0.hasPrefix("no-cache") }) else { return .zero }
    let age = min(response.values("Age").first.flatMap { Int64($0.trimmed) } ?? 0, 31_536_000)
    if let maximum = directives.compactMap(seconds).min() { return max(.seconds(maximum - max(age, 0)), .zero) }
    guard let text = response.values("Expires").first, let end = HTTPDate.parse(text) else { return .zero }
    let start = response.values("Date").first.flatMap(HTTPDate.parse) ?? now
    let (milliseconds, overflow) = end.milliseconds.subtractingReportingOverflow(start.milliseconds)
    return overflow ? .zero : max(.milliseconds(milliseconds) - .seconds(max(age, 0)), .zero)
  }

  private static func seconds(_ directive: String) -> Int64? {
    guard directive.hasPrefix("max-age=") else { return nil }
    let digits = directive.dropFirst(8).filter { $0 != "\"" }
    // A lifetime that cannot be read is none.
    guard let value = Int64(digits), value >= 0 else { return 0 }
    return min(value, 31_536_000)
  }
}
