import Glibc
import TestMachine

/// What another process has in its memory now.
public struct ProcessMemory {
  private let pid: pid_t

  public init(of pid: pid_t) { self.pid = pid }

  /// Which of these are found somewhere in what the process may write: heap, stacks, data. Throws when its memory
  /// cannot be read.
  public func search(for needles: [String: [UInt8]]) throws -> Set<String> {
    let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw SystemError("open memory", errno) }
    defer { close(memory) }
    var found: Set<String> = []
    for range in try regions() {
      var bytes = [UInt8](repeating: 0, count: range.count)
      let count = pread(memory, &bytes, bytes.count, off_t(range.lowerBound))
      // A region that has gone meanwhile holds nothing.
      guard count > 0 else { continue }
      bytes.removeLast(bytes.count - count)
      for (name, needle) in needles where bytes.contains(needle) { found.insert(name) }
    }
    return found
  }

  private func regions() throws -> [Range<Int>] {
    guard let text = TemporaryFolder.read("/proc/\(pid)/maps") else { throw SystemError("read maps", errno) }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2)
      let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      guard words.count > 1, words[1].hasPrefix("rw"), ends.count == 2 else { return nil }
      return ends[0]..<ends[1]
    }
  }
}
