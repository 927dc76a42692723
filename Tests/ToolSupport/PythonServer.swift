import AuthenticatorCoding
import Glibc

/// One of the small Python servers beside this file, on a port of its own; ends with the last reference.
public final class PythonServer: Sendable {
  public let port: Int
  private let process: ChildProcess
  private let folder: TemporaryFolder

  private init(program: String, folder: TemporaryFolder, _ arguments: [String]) async throws {
    self.folder = folder
    // What they share is not to be left beside them in compiled form.
    process = try ChildProcess("python3", ["-B", Self.programs + program] + arguments)
    guard let port = Int(try await process.firstLine()) else { throw SystemError("\(program) names no port", 0) }
    self.port = port
  }

  /// The folder of the Python programs.
  static let programs: String = {
    let path = #filePath
    return path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/Programs/"
  }()

  deinit { process.end() }

  public var url: String { "http://127.0.0.1:\(port)/am" }

  /// A server that gives these answers in order.
  public static func answering(_ answers: JSONValue...) async throws -> PythonServer {
    let folder = try TemporaryFolder()
    let file = try folder.write("answers", JSONValue.array(answers).serializedString())
    return try await PythonServer(program: "canned.py", folder: folder, [file, folder.file("record")])
  }

  /// A server whose every answer is an attack of this kind; `hostile.py` lists them.
  public static func hostile(_ kind: String) async throws -> PythonServer {
    try await PythonServer(program: "hostile.py", folder: try TemporaryFolder(), [kind])
  }

  /// A proxy to the server at `port` that records what passes and can hold the n-th request for good, `before` it is
  /// passed on or `after` it was answered.
  public static func proxy(to port: Int, holding hold: String? = nil) async throws -> PythonServer {
    let folder = try TemporaryFolder()
    let arguments = ["\(port)", "--record", folder.file("record")] + (hold.map { ["--hold", $0] } ?? [])
    return try await PythonServer(program: "proxy.py", folder: folder, arguments)
  }

  /// What came in so far, one entry a request.
  public var requests: [JSONValue] {
    let text = String(decoding: TemporaryFolder.read(folder.file("record")) ?? [], as: UTF8.self)
    return text.split(separator: "\n").compactMap { try? JSONValue.parse(String($0)) }
  }

  /// Whether the proxy holds its request.
  public var isHolding: Bool { process.stdout.contains("held\n") }
}
