import Foundation

/// One run of wrk against a local port: a POST of a small JSON body, again and again, over 16 connections.
struct LoadGenerator: Sendable {
  struct Result: Sendable {
    var requestsPerSecond: Double
    /// In milliseconds.
    var p99: Double
  }

  private let script: String
  private let seconds: Int

  /// Writes the script that wrk runs.
  init(workspace: Workspace, seconds: Int) throws {
    self.seconds = max(1, seconds)
    let file = workspace.disk.appendingPathComponent("post.lua")
    let text = """
      wrk.method = "POST"
      wrk.body = "{}"
      wrk.headers["Content-Type"] = "application/json"
      wrk.headers["Accept-API-Version"] = "resource=2.1, protocol=1.0"
      done = function(summary, latency, requests)
        local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
        io.write(string.format("RESULT %d %d %d %d\\n", summary.requests, summary.duration, latency:percentile(99), bad))
      end
      """
    try text.write(to: file, atomically: true, encoding: .utf8)
    script = file.path
  }

  /// One thread, pinned to the second core; the server has the first. Throws when any request failed.
  func run(_ url: String) throws -> Result {
    let output = try Program.output(
      "/usr/bin/env", ["taskset", "-c", "1", "wrk", "-t1", "-c16", "-d\(seconds)s", "-s", script, url])
    let figures = output.split(separator: "\n").first { $0.hasPrefix("RESULT ") }?
      .split(separator: " ").dropFirst().compactMap { Double($0) }
    guard let figures, figures.count == 4, figures[0] > 0 else { throw Floor.Failed(what: "wrk printed \(output)") }
    guard figures[3] == 0 else { throw Floor.Failed(what: "\(figures[3]) of \(figures[0]) requests failed") }
    return Result(requestsPerSecond: figures[0] / (figures[1] / 1e6), p99: figures[2] / 1000)
  }
}

/// This program as a server in a process of its own, pinned to the first core. It ends when its input does, so that it
/// cannot outlive the bench.
final class ServerProcess: Sendable {
  let url: String
  var processIdentifier: Int32 { process.processIdentifier }
  private let process = Process()
  private let input = Pipe()

  init(_ mode: String, _ arguments: String...) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["taskset", "-c", "0", "/proc/\(getpid())/exe", "--child", mode] + arguments
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    url = String(decoding: line, as: UTF8.self)
    guard url.hasPrefix("http") else { throw Floor.Failed(what: "\(mode) did not start") }
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
