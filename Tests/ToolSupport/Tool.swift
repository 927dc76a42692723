import AuthenticatorCoding
import Glibc

/// The built command-line tool, used as anybody would use it.
public enum Tool {
  /// The folder that holds what `swift build` made: where the test runner itself is.
  public static let products: String = {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { readlink("/proc/self/exe", $0, 4096) } ?? 0 }
    }
    let path = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }()

  public static let path = products + "/authenticator"

  /// Runs it to its end, without a terminal and with an empty home.
  /// - Parameter peak: this file gets the most memory that it occupied, in bytes.
  public static func run(
    _ arguments: [String], input: String = "", environment: [String: String?] = [:],
    within limit: Duration = .seconds(300), measuring peak: String? = nil
  ) async throws -> ChildProcess.Result {
    guard let peak else {
      return try await start(arguments, input: input, environment: environment).result(within: limit)
    }
    let words = [PythonServer.programs + "peak.py", peak, path] + arguments
    return try await ChildProcess("python3", words, input: input, environment: changes(environment))
      .result(within: limit)
  }

  /// Starts it.
  public static func start(
    _ arguments: [String], input: String = "", environment: [String: String?] = [:]
  ) throws -> ChildProcess {
    try ChildProcess(path, arguments, input: input, environment: changes(environment))
  }

  /// What the person running the tests has set must not change what the tool does.
  private static func changes(_ environment: [String: String?]) -> [String: String?] {
    let none: String? = nil
    return ["AUTHENTICATOR_LOG": none, "XDG_DATA_HOME": none, "HOME": "/nonexistent"].merging(environment) { $1 }
  }
}

extension ChildProcess.Result {
  /// Standard output as one JSON text.
  public func json() throws -> JSONValue {
    do {
      return try JSONValue.parse(stdout)
    } catch {
      throw NotJSON(text: stdout, stderr: stderr, status: status)
    }
  }

  struct NotJSON: Error, CustomStringConvertible {
    let text: String
    let stderr: String
    let status: Int32
    var description: String { "no JSON on standard output (status \(status)): '\(text)'; standard error: '\(stderr)'" }
  }
}
