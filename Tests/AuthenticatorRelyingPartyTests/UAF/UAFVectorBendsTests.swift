import AuthenticatorCoding
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// Every valid assertion of the samples, bent at each of its elements: what is no longer what was signed is refused,
/// and what the specification leaves open is not.
@Suite struct UAFVectorBendsTests {
  /// 2026-06-01, when the composed certificates are valid.
  private static let time: Int64 = 1_780_272_000

  static let valid = (UAFVector.of("registrationAssertion") + UAFVector.of("authenticationAssertion"))
    .filter { $0["expect"] == "valid" }

  /// A sample with what a server expects of it.
  private struct Bench {
    let vector: UAFVector
    let operation: UAFServerOperation
    let expectation: UAFExpectation
    var records: [UAFRegistrationRecord] = []
    let bytes: [UInt8]

    init(_ vector: UAFVector) throws {
      self.vector = vector
      let isDER = ["pub-reg-surrogate-der", "pub-auth-der"].contains(vector.id)
      operation = vector["kind"] == "registrationAssertion" ? .registration : .authentication
      bytes = try vector.bytes("assertion")
      var expectation = try vector.expectation(algorithm: isDER ? 2 : 1, keyForm: isDER ? 0x101 : 0x100)
      if let text = vector["transaction"]?[0]?["content"]?.stringValue {
        let content = String(decoding: try Base64URL.decode(text), as: UTF8.self)
        expectation.transactions = [try UAFTransactionContent(text: content)]
      }
      self.expectation = expectation
      guard operation == .authentication else { return }
      let keyID = try #require(try Tree.all(bytes[...]).first?.first(0x2E09))
      records = [
        UAFRegistrationRecord(
          aaid: try vector.text("aaid"), keyID: keyID,
          publicKey: try Hex.decode(try vector.text(isDER ? "publicKeyDer" : "publicKeyRaw")),
          keyForm: isDER ? .ecDER : .ecRaw, signatureForm: isDER ? .es256DER : .es256Raw,
          signCounter: UInt32(try #require(vector["storedSignCounter"]?.intValue)), registrationCounter: 1,
          authenticatorVersion: 0, attestationType: 15880)
      ]
    }

    /// The check that refuses these bytes; nil: they are accepted.
    func code(_ bytes: [UInt8]) throws -> UAFVerificationError.Code? {
      try uafRefusal {
        let received = try vector.response(operation, bytes)
        if operation == .registration {
          _ = try expectation.verifyRegistration(received, at: UAFVectorBendsTests.time)
        } else {
          _ = try expectation.verifyAuthentication(received, registered: records)
        }
      }
    }
  }

  /// An assertion taken apart, so that one element can be moved and every length around it still fits.
  private struct Tree {
    var tag: UInt16
    var value: [UInt8] = []
    var parts: [Tree]?

    static func all(_ bytes: ArraySlice<UInt8>) throws -> [Tree] {
      var (trees, rest) = ([Tree](), bytes)
      while !rest.isEmpty {
        try #require(rest.count >= 4)
        let start = rest.startIndex
        let tag = UInt16(rest[start]) | UInt16(rest[start + 1]) << 8
        let end = start + 4 + Int(rest[start + 2]) + Int(rest[start + 3]) << 8
        try #require(end <= rest.endIndex)
        let value = rest[start + 4..<end]
        trees.append(
          tag & 0x1000 == 0 ? Tree(tag: tag, value: Array(value)) : Tree(tag: tag, parts: try all(value)))
        rest = rest[end...]
      }
      return trees
    }

    var bytes: [UInt8] { TestTLV(tag, parts.map { $0.flatMap(\.bytes) } ?? value).bytes }

    func first(_ tag: UInt16) -> [UInt8]? {
      if self.tag == tag { return value }
      return parts?.lazy.compactMap { $0.first(tag) }.first
    }

    /// Every place in the tree that has parts, by the way to it.
    func composites(_ path: [Int] = []) -> [[Int]] {
      guard let parts else { return [] }
      return [path] + parts.enumerated().flatMap { $0.element.composites(path + [$0.offset]) }
    }

    mutating func bend(at path: some Collection<Int>, _ change: (inout [Tree]) -> Void) {
      guard let step = path.first else {
        var own = parts ?? []
        change(&own)
        parts = own
        return
      }
      parts?[step].bend(at: path.dropFirst(), change)
    }

    func parts(at path: some Collection<Int>) -> [Tree] {
      guard let step = path.first else { return parts ?? [] }
      return parts?[step].parts(at: path.dropFirst()) ?? []
    }
  }

  private static func tree(_ bench: Bench) throws -> Tree {
    let trees = try Tree.all(bench.bytes[...])
    let tree = try #require(trees.first)
    try #require(trees.count == 1 && tree.bytes == bench.bytes)
    #expect(try bench.code(tree.bytes) == nil)
    return tree
  }

  @Test func thereAreSamplesOfBothKinds() {
    #expect(Self.valid.count >= 8)
    #expect(Set(Self.valid.map { $0["kind"]?.stringValue }).count == 2)
  }

  @Test(arguments: valid) func everyPrefixIsRefused(vector: UAFVector) throws {
    let bench = try Bench(vector)
    for count in 1..<bench.bytes.count {
      #expect(try bench.code(Array(bench.bytes[..<count])) == .assertionMalformed, "after \(count) bytes")
    }
  }

  @Test(arguments: valid) func nothingMayFollow(vector: UAFVector) throws {
    let bench = try Bench(vector)
    for trailing: [UInt8] in [[0], [0, 0, 0], [0, 0, 0, 0], [0x7F, 0x0E, 0, 0], bench.bytes] {
      #expect(try bench.code(bench.bytes + trailing) == .assertionMalformed, "\(trailing.count) more bytes")
    }
  }

  @Test(arguments: valid) func everyOtherLengthIsRefused(vector: UAFVector) throws {
    let bench = try Bench(vector)
    /// Where the elements begin, those inside others too.
    func elements(_ range: Range<Int>) -> [Int] {
      var (heads, place): ([Int], Int) = ([], range.lowerBound)
      while place + 4 <= range.upperBound {
        heads.append(place)
        let end = place + 4 + Int(bench.bytes[place + 2]) + Int(bench.bytes[place + 3]) << 8
        if bench.bytes[place + 1] & 0x10 != 0 { heads += elements(place + 4..<end) }
        place = end
      }
      return heads
    }
    let places = elements(bench.bytes.indices)
    #expect(places.count > 9)
    for place in places {
      let length = UInt16(bench.bytes[place + 2]) | UInt16(bench.bytes[place + 3]) << 8
      for other in Set<UInt16>([length &- 1, length &+ 1, 0, .max]) where other != length {
        var bytes = bench.bytes
        bytes.replaceSubrange(place + 2..<place + 4, with: TestTLV.number(other))
        #expect(try bench.code(bytes) != nil, "length \(other) at \(place)")
      }
    }
  }

  private static let certificate: UInt16 = 0x2E05
  private static let extensions: Set<UInt16> = [0x3E11, 0x3E12]

  @Test(arguments: valid) func noElementStandsTwice(vector: UAFVector) throws {
    let bench = try Bench(vector)
    let whole = try Self.tree(bench)
    for path in whole.composites() {
      for (index, part) in whole.parts(at: path).enumerated() {
        var tree = whole
        tree.bend(at: path) { $0.insert(part, at: index) }
        let code = try bench.code(tree.bytes)
        switch part.tag {
        // A list, of which each must have issued the one before.
        case Self.certificate: #expect(code == .attestationCertificateInvalid, "at \(path)")
        // More extensions may stand beside the signature; nothing may be added to what was signed.
        case let tag where Self.extensions.contains(tag) && path.isEmpty: #expect(code == nil, "at \(path)")
        default: #expect(code != nil, "\(part.tag) at \(path)")
        }
      }
    }
  }

  @Test(arguments: valid) func onlyTheOrderThatWasSignedCounts(vector: UAFVector) throws {
    let bench = try Bench(vector)
    let whole = try Self.tree(bench)
    let signature: UAFVerificationError.Code =
      bench.operation == .registration ? .attestationSignatureInvalid : .signatureInvalid
    for path in whole.composites() {
      let parts = whole.parts(at: path)
      for index in parts.indices.dropLast() where parts[index].bytes != parts[index + 1].bytes {
        var tree = whole
        tree.bend(at: path) { $0.swapAt(index, index + 1) }
        let code = try bench.code(tree.bytes)
        switch (path, parts[index].tag, parts[index + 1].tag) {
        case ([], _, _) where index == 0: #expect(code == .assertionMalformed, "the signed object stands first")
        case (let path, _, _) where path.first == 0: #expect(code == signature, "inside what was signed, at \(path)")
        case (_, Self.certificate, Self.certificate): #expect(code == .attestationCertificateInvalid)
        default: #expect(code == nil, "the order at \(path) is free")
        }
      }
    }
  }
}
