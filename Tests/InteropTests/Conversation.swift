import Foundation
import Testing

/// A Python program among the judges that asks back: a line it prints that begins with `> ` is a question, everything
/// else is its verdict.
final class Conversation: Sendable {
  private let process: Process
  private let questions: FileHandle
  private let answers: FileHandle
  private let complaints: FileHandle

  /// Starts `Judges/<name>`.
  init(_ name: String, arguments: [String] = []) throws {
    let script = try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Judges"))
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Judge.python))
    process.arguments = [script.path] + arguments
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    (questions, answers, complaints) = (
      stdout.fileHandleForReading, stdin.fileHandleForWriting, stderr.fileHandleForReading
    )
    try process.run()
  }

  /// Sends a line; to be called from one thread at a time.
  func answer(_ line: String) { answers.write(Data((line + "\n").utf8)) }

  /// Hands every question to `receive`, until the program ends.
  func verdict(_ receive: @escaping @Sendable (String) -> Void) async throws -> Judge.Verdict {
    try await onThread { [self] in
      var verdict = ""
      var rest = Data()
      while case let data = questions.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: 0x0A) {
          let line = String(decoding: rest[..<end], as: UTF8.self)
          rest = Data(rest[(end + 1)...])
          if line.hasPrefix("> ") { receive(String(line.dropFirst(2))) } else { verdict += line + "\n" }
        }
      }
      let complaint = complaints.readDataToEndOfFile()
      process.waitUntilExit()
      return Judge.Verdict(
        status: process.terminationStatus, output: verdict, complaint: String(decoding: complaint, as: UTF8.self))
    }
  }
}
