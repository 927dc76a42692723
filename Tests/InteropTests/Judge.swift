import Foundation
import Testing

/// A Python program that judges what this package emits, with libraries that share no code with it.
enum Judge {
  /// The interpreter with the judges' libraries; nil when they are not installed.
  static let python = ProcessInfo.processInfo.environment["AUTHENTICATOR_PYTHON"]

  /// Whether Debian's browser and its driver are there.
  static let hasBrowser = ["/usr/bin/chromium", "/usr/bin/chromedriver"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  struct Verdict {
    let status: Int32
    let output: String
    let complaint: String
  }

  /// Runs `Judges/<name>` and hands it `input`. On a thread that no server of this process needs.
  static func run(_ name: String, input: String = "", arguments: [String] = []) async throws -> Verdict {
    // Here and not there: what fails on such a thread belongs to no test.
    let script = try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Judges"))
    let python = try #require(python)
    return try await onThread { try run([python, script.path] + arguments, input) }
  }

  private static func run(_ words: [String], _ input: String) throws -> Verdict {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    stdin.fileHandleForWriting.write(Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    let complaint = stderr.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Verdict(
      status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
      complaint: String(decoding: complaint, as: UTF8.self))
  }
}
