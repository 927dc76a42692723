import Testing

@testable import AuthenticatorCrypto

struct PEMTextTests {
  private static let block = "-----BEGIN A-----\nAQID\n-----END A-----\n"

  private func blocks(_ text: String, most: Int = .max) throws(CryptoError) -> [[UInt8]] {
    try PEMText.blocks(text, .invalidKey, most: most) { $0 == "A" || $0 == "SOME A" }
  }

  @Test(arguments: [
    block, "subject=/CN=x\n" + block + "after", "  -----BEGIN A-----  \r\n A Q\t\r\n\r\nI D \r\n -----END A----- ",
    "-----BEGIN B-----\n!\n-----END B-----\n" + block, "-----END B-----\n" + block, "-----BEGIN A----\n" + block,
  ])
  func passesOverWhatStandsAround(_ text: String) throws { #expect(try blocks(text) == [[1, 2, 3]]) }

  @Test func readsBlocksInOrder() throws {
    let second = "-----BEGIN SOME A-----\nBAU=\n-----END SOME A-----"
    #expect(try blocks(Self.block + second) == [[1, 2, 3], [4, 5]])
    #expect(try blocks(Self.block + "-----BEGIN A-----\n!", most: 1) == [[1, 2, 3]])
    #expect(try blocks("no block").isEmpty)
  }

  @Test(arguments: [
    ("-----BEGIN A-----\nAQID\n", "a marker has no counterpart"),
    ("AQID\n-----END A-----", "a marker has no counterpart"),
    ("-----BEGIN A-----\n" + block, "a marker has no counterpart"),
    ("-----BEGIN A-----\nAQID\n-----END SOME A-----", "a marker has no counterpart"),
    (block + "-----END A-----", "a marker has no counterpart"),
    ("-----BEGIN A-----\nAQI\n-----END A-----", "a block is not in base64"),
    ("-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\n-----END A-----", "a block is not in base64"),
    ("-----BEGIN A-----\nAQ==AQ==\n-----END A-----", "a block is not in base64"),
  ])
  func refusesHalfBlocks(_ text: String, _ reason: String) {
    let error = #expect(throws: CryptoError.self) { try blocks(text) }
    #expect(error?.code == .invalidKey)
    #expect(error.map { "\($0)" }?.contains(reason) == true)
  }
}
