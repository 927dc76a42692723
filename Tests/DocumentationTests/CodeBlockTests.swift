import Foundation
import Testing

/// Keeps the code in README, the articles and `Docs` honest: every Swift block stands, line by line, in a file that is
/// compiled and run, here or under `Examples`.
@Suite("Code in the documentation")
struct CodeBlockTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// README, the articles and the pages under `Docs`.
  static let pages: [String] = {
    let folders = ["Docs", "Docs/protocols", "Sources/AuthenticatorKit/AuthenticatorKit.docc"]
    return ["README.md"]
      + folders.flatMap { folder in
        let names =
          (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
      }
  }()

  @Test func findsThePages() {
    #expect(Self.pages.count > 10)
    #expect(Self.pages.contains("Docs/protocols/webauthn.md"))
  }

  @Test(arguments: pages)
  func standsInACompiledFile(page: String) throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent(page), encoding: .utf8)
    let compiled = try Self.compiledFiles()
    for block in Self.blocks(of: "swift", in: text) {
      let lines = Self.significantLines(block)
      #expect(
        compiled.contains { Self.contains($0, lines) },
        "\(page): this block stands in no compiled file:\n\(block)")
    }
  }

  /// The fenced blocks of a language.
  static func blocks(of language: String, in text: String) -> [String] {
    var blocks: [String] = []
    var open: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = open {
        if line.hasPrefix("```") {
          blocks.append(lines.joined(separator: "\n"))
          open = nil
        } else {
          open = lines + [line]
        }
      } else if line == "```\(language)" {
        open = []
      }
    }
    return blocks
  }

  /// Lines without indentation, empty ones left out: a block may be set further to the left than its source.
  static func significantLines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  static func contains(_ file: [String], _ block: [String]) -> Bool {
    guard let first = block.first else { return false }
    return file.indices.contains { file[$0] == first && file[$0...].starts(with: block) }
  }

  static func compiledFiles() throws -> [[String]] {
    var files: [[String]] = []
    for folder in ["Tests/DocumentationTests", "Examples"] {
      let enumerator = FileManager.default.enumerator(
        at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
      while let file = enumerator?.nextObject() as? URL {
        guard file.pathExtension == "swift", file.lastPathComponent != "CodeBlockTests.swift" else { continue }
        files.append(significantLines(try String(contentsOf: file, encoding: .utf8)))
      }
    }
    return files
  }
}
