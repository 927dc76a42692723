import Foundation

/// What the kernel says about a process: sizes in KiB.
enum ProcessFigures {
  /// Memory in use now.
  static func residentSize(of process: Int32 = getpid()) throws -> Double { try figure("VmRSS", of: process) }

  /// The most it ever used.
  static func peakSize(of process: Int32 = getpid()) throws -> Double { try figure("VmHWM", of: process) }

  /// What a process has used of the processors so far, in milliseconds.
  static func processorTime(of process: Int32) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The program's name, in brackets, may hold anything; the user's and the system's ticks are 11 fields after it.
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      throw Floor.Failed(what: "/proc/\(process)/stat is malformed")
    }
    return (user + system) * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func figure(_ name: String, of process: Int32) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    guard let value = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) }) else {
      throw Floor.Failed(what: "/proc/\(process)/status has no \(name)")
    }
    return value
  }
}

/// Another program, run to its end.
enum Program {
  /// Runs it and returns what it printed; throws when it does not exit with 0.
  static func output(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Floor.Failed(what: "\(path) \(arguments.joined(separator: " ")) exited with \(process.terminationStatus)")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// This program in a fresh process: what `Child.run` prints as a number.
  static func child(_ arguments: String...) throws -> Double {
    let text = try output("/proc/self/exe", ["--child"] + arguments)
    guard let value = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Floor.Failed(what: "a child printed \(text)")
    }
    return value
  }
}
