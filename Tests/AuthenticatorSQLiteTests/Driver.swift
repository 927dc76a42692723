import Foundation

/// Runs the store driver in a process of its own.
struct Driver {
  struct Outcome {
    var status: Int32
    var wasKilled: Bool
    var lines: [String]

    /// The rest of the lines that begin with a word.
    func values(_ word: String) -> [String] {
      lines.filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
    }
    func value(_ word: String) -> String? { values(word).first }
    var isDone: Bool { lines.last == "ok done" }
  }

  private let process = Process()
  private let output = Pipe()

  /// - Parameter bound: runs it without the superuser's right to pass over modes, as anybody else would run it.
  init(_ arguments: [String], environment: [String: String] = [:], byModes bound: Bool = false) throws {
    let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    var candidates = [folder, folder.appendingPathComponent(".build/debug")]
    candidates += [Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
    candidates += [Bundle.module.bundleURL.deletingLastPathComponent()]
    let driver = candidates.map { $0.appendingPathComponent("StoreDriver") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    guard let driver else { throw CocoaError(.fileNoSuchFile) }
    if bound, geteuid() == 0 {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = Self.boundByModes + [driver.path] + arguments
    } else {
      process.executableURL = driver
      process.arguments = arguments
    }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = FileHandle.standardError
    try process.run()
  }

  /// Kills the process, without warning, once it has printed this many bytes; then waits for its end.
  func kill(after count: Int) throws -> Outcome {
    var data = Data()
    while data.count < count {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      data += more
    }
    Foundation.kill(process.processIdentifier, SIGKILL)
    return try finish(data)
  }

  /// Waits for the end. Blocks its thread.
  func finish(_ start: Data = Data()) throws -> Outcome {
    let data = start + (try output.fileHandleForReading.readToEnd() ?? Data())
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    return Outcome(
      status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
      lines: text.split(separator: "\n").map(String.init))
  }

  static func run(
    _ arguments: [String], environment: [String: String] = [:], byModes bound: Bool = false
  ) throws -> Outcome {
    try Driver(arguments, environment: environment, byModes: bound).finish()
  }

  private static let boundByModes = [
    "setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner", "--inh-caps",
    "-dac_override,-dac_read_search,-fowner",
  ]

  /// Whether this process is bound by modes, or can start one that is.
  static var canBeBoundByModes: Bool {
    if geteuid() != 0 { return true }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = boundByModes + ["true"]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
