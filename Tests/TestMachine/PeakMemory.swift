import Foundation

/// The most memory this process has held at once, in bytes. Only a process that runs nothing else can tell from it what
/// something costs: that of an exit test.
public func peakMemory() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  guard let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
    throw CocoaError(.fileReadCorruptFile)
  }
  return kibibytes << 10
}
