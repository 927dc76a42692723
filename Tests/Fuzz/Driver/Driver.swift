import Dispatch
import Foundation
import FuzzTargets
import LibFuzzer

/// `authenticator-fuzz TARGET [libFuzzer options and corpus folders]`.
///
/// `--list` prints the targets with their lengths, `TARGET --unpack FOLDER` writes the stored corpus as files, and
/// `TARGET --pack FOLDER` prints a corpus file made of a folder's files.
/// Built without `-sanitize=fuzzer` it replays the files it is given.
@main
struct Driver {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["--list"] {
      for target in FuzzTarget.all { print(target.name, target.maximumLength) }
      return
    }
    // libFuzzer starts itself again for some of its work, with its own arguments only; the environment names the
    // target.
    if let inherited = target {
      try run(inherited, with: arguments)
      return
    }
    guard let name = arguments.first, let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      FileHandle.standardError.write(Data("usage: authenticator-fuzz TARGET [FILE or libFuzzer option]…\n".utf8))
      exit(2)
    }
    let rest = Array(arguments.dropFirst())
    switch rest.first {
    case "--unpack" where rest.count == 2: try unpack(target, to: URL(fileURLWithPath: rest[1]))
    case "--pack" where rest.count == 2: try pack(URL(fileURLWithPath: rest[1]))
    default: try run(target, with: rest)
    }
  }

  private static func unpack(_ target: FuzzTarget, to folder: URL) throws {
    for (number, input) in try target.corpus().enumerated() {
      try Data(input).write(to: folder.appendingPathComponent("stored-\(number)"))
    }
  }

  private static func pack(_ folder: URL) throws {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    print(FuzzTarget.corpusFile(try files.map { [UInt8](try Data(contentsOf: $0)) }), terminator: "")
  }

  private static func run(_ target: FuzzTarget, with rest: [String]) throws {
    setenv(variable, target.name, 1)
    var pointers = ([CommandLine.arguments[0]] + rest).map { strdup($0) } + [nil]
    let status = pointers.withUnsafeMutableBufferPointer { buffer in
      var arguments = buffer.baseAddress
      var count = CInt(buffer.count - 1)
      return fuzz_run(&count, &arguments) { data, size in
        tryOne([UInt8](UnsafeBufferPointer(start: data, count: size)))
        return 0
      }
    }
    if status >= 0 { exit(status) }
    for file in rest { tryOne([UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))) }
  }
}

private let variable = "AUTHENTICATOR_FUZZ_TARGET"

/// The target that the environment names: libFuzzer's callback carries no context.
private var target: FuzzTarget? {
  getenv(variable).flatMap { name in FuzzTarget.all.first { $0.name == String(cString: name) } }
}

private let chosen = target

/// Runs the target to its end. The caller is libFuzzer's own thread, which may wait; the target runs on Swift's.
private func tryOne(_ bytes: [UInt8]) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      try await chosen?.run(bytes)
    } catch {
      FileHandle.standardError.write(Data("broken promise: \(error)\n".utf8))
      abort()
    }
    done.signal()
  }
  done.wait()
}
