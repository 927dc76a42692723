import AuthenticatorCoding
import Testing
import ToolSupport

/// What the documentation says about limits is what `doctor` says, and that is what the code has.
@Suite struct DocumentedLimitsTests {
  private let limits: JSONValue

  init() async throws {
    let result = try await Tool.run(["doctor", "--json"])
    limits = try #require(try result.json()["limits"])
  }

  private func number(_ path: String...) throws -> Int {
    try #require(path.reduce(limits) { $0[$1] ?? .null }.intValue, "\(path)")
  }

  private func grouped(_ number: Int) -> String {
    number < 1000 ? "\(number)" : grouped(number / 1000) + "," + String("\(number % 1000 + 1000)".dropFirst())
  }

  private func size(_ bytes: Int) -> String { bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB" }

  private func time(_ seconds: Int) -> String {
    seconds < 60 ? "\(seconds) s" : seconds < 3600 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
  }

  @Test func theTablesOfTheJourneyProtocolHold() throws {
    func client(_ name: String) throws -> Int { try number("client", name) }
    func server(_ path: String...) throws -> Int {
      try #require(path.reduce(limits["server"] ?? .null) { $0[$1] ?? .null }.intValue, "\(path)")
    }
    let rows = [
      "one answer": "\(size(try client("answerBytes"))), JSON depth \(try client("jsonDepth")), "
        + "\(grouped(try client("jsonValues"))) values, texts of " + size(try client("textBytes")),
      "callbacks in a node": "\(try client("callbacksPerNode"))",
      "steps in a flow, its whole time": "\(try client("steps")), "
        + (try client("totalSeconds") == 3600 ? "one hour" : time(try client("totalSeconds"))),
      "one request": time(try client("requestSeconds")),
      "polling": "\(try client("shortestPollingWaitMilliseconds")) ms to \(try client("pollingWaitSeconds")) s ",
      "request body, header": "\(size(try server("bodyBytes"))), \(size(try server("headerBytes")))",
      "JSON depth, values, one text": "\(try server("jsonDepth")), \(grouped(try server("jsonValues"))), "
        + size(try server("textBytes")),
      "callbacks in a step, steps in a journey": "\(try server("callbacksPerStep")), \(try server("steps"))",
      "state of a journey": size(try server("stateBytes")),
      "answer to a step, parked journey, session": [
        try server("stepLifetimeSeconds"), try server("suspendLifetimeSeconds"), try server("sessionLifetimeSeconds"),
      ].map(time).joined(separator: ", "),
      "connections, time for one request": grouped(try server("connections")),
      "user name, password": "\(try server("usernameBytes")), \(grouped(try server("passwordBytes"))) bytes",
      "failures from one address": "\(try server("failuresPerAddress")) a minute, then 429",
      "failures of an account": "\(try server("lockout", "failuresBeforeLock")), then "
        + "\(time(try server("lockout", "firstLockSeconds"))) doubling to "
        + "\(time(try server("lockout", "longestLockSeconds"))); \(try server("lockout", "failuresForGood")): ",
      "password derivations": "one a core at once, \(try server("passwordQueue")) waiting",
      "journeys under way, parked, sessions": [
        try server("journeys"), try server("parkedJourneys"), try server("sessions"),
      ].map(grouped).joined(separator: ", "),
    ]
    #expect(try server("addressIntervalSeconds") == 60 && limits["server"]?["passwordWidth"] == "oneForEachCore")
    let path = #filePath
    let root = path[..<(path.range(of: "/Tests/")?.lowerBound ?? path.endIndex)]
    let bytes = try #require(TemporaryFolder.read(root + "/Docs/protocols/pingam.md"))
    let document = String(decoding: bytes, as: UTF8.self)
    let chapter = try #require(document.range(of: "\n## Limits\n"))
    var seen: Set<String> = []
    for line in document[chapter.upperBound...].split(separator: "\n") {
      if line.hasPrefix("## ") { break }
      let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
      guard cells.count == 2, line.hasPrefix("| "), let row = cells.first.map(trimmed), !row.isEmpty else { continue }
      guard row != "client", row != "embedded server" else { continue }
      let expected = try #require(rows[row], "the table has a row that nothing compares: \(row)")
      #expect(cells[1].hasPrefix(expected), "\(row)")
      seen.insert(row)
    }
    #expect(seen == Set(rows.keys))
    #expect(document.contains("as many files open), \(time(try server("receiveSeconds"))) |"))
  }

  @Test func theTableOfUAFHolds() throws {
    func limit(_ name: String) throws -> Int { try number("uaf", name) }
    let path = #filePath
    let root = path[..<(path.range(of: "/Tests/")?.lowerBound ?? path.endIndex)]
    let document = String(
      decoding: try #require(TemporaryFolder.read(root + "/Docs/protocols/uaf.md")), as: UTF8.self)
    let chapter = try #require(document.range(of: "\n## Limits\n"))
    let table = document[chapter.upperBound...].prefix { $0 != "#" }
    for row in [
      "message | \(size(try limit("messageBytes"))), ",
      "an assertion \(grouped(try limit("assertionBytes"))) bytes",
      "policy | \(grouped(try limit("policyEntries"))) sets of \(try limit("setCriteria")) criteria, ",
      "choices | the first \(try limit("policyChoices")) ways ",
      "app ID, facet ID | \(try limit("appIDBytes")) bytes, ",
      "channel binding | a certificate of \(grouped(try limit("tlsServerCertificateCharacters") * 3 / 4)) bytes, ",
      "transaction | \(try limit("transactionCharacters")) characters of ASCII, or a picture of "
        + size(try limit("transactionImageBytes")),
      "list of trusted facets | \(size(try limit("facetListBytes"))), \(try limit("facetListRedirects")) redirections",
      "operation | \(try limit("operationSeconds")) seconds",
    ] { #expect(table.contains(row), "\(row)") }
  }

  private func trimmed(_ text: Substring) -> String {
    var text = text
    while text.hasSuffix(" ") { text.removeLast() }
    return String(text)
  }
}
