import AuthenticatorCBOR
import AuthenticatorCoding
import TestVectors
import Testing

/// A case of one of the CBOR vector files.
struct CBORCase: Sendable, CustomTestStringConvertible {
  let bytes: [UInt8]
  let json: JSONValue

  var testDescription: String { Hex.encode(bytes.prefix(24)) }
  func text(_ name: String) -> String { json[name]?.stringValue ?? "" }
  func texts(_ name: String) -> [String] { json[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }

  static func load(_ file: String, _ list: String) throws -> [CBORCase] {
    let json = try JSONValue.parse(try Vectors.bytes(file))
    return try #require(json[list]?.arrayValue).map {
      CBORCase(bytes: try Hex.decode(try #require($0["hex"]?.stringValue)), json: $0)
    }
  }
}

@Suite struct CBORVectorTests {
  /// What decoding throws; nil when it succeeds.
  private func failure(_ bytes: [UInt8], _ limits: CBORLimits = .message) -> CBORError.Kind? {
    do throws(CBORError) {
      _ = try CBORValue.decode(bytes, limits: limits)
      return nil
    } catch { return error.kind }
  }

  private static let kinds: [String: CBORError.Kind] = [
    "nonshortest-int": .nonShortestForm, "nonshortest-len": .nonShortestForm, "bad-utf8": .invalidUTF8,
    "indefinite": .indefiniteLength, "unsorted-keys": .unsortedKeys, "tag": .tag, "duplicate-key": .duplicateKey,
    "depth>4": .tooDeep,
  ]

  @Test func readsAndWritesAppendixA() throws {
    let cases = try CBORCase.load("cbor-rfc8949-appendix-a.json", "cases")
    #expect(cases.count == 81)
    for item in cases {
      if item.json["ctap2_canonical"] == true {
        let value = try CBORValue.decode(item.bytes)
        #expect(value.encoded() == item.bytes, "\(item.testDescription)")
        if let decoded = item.json["decoded"] { expect(value, says: decoded, item.testDescription) }
      } else {
        let expected = item.texts("ctap2_reasons").compactMap { Self.kinds[$0] }
        #expect(failure(item.bytes).map(expected.contains) == true, "\(item.testDescription)")
      }
    }
  }

  /// Compares with the JSON form the vectors give, where the kinds of both can be compared.
  private func expect(_ value: CBORValue, says json: JSONValue, _ label: String) {
    switch (value, json) {
    case (.unsigned, .integer(let number)), (.negative, .integer(let number)):
      #expect(value.intValue == Int(number), "\(label)")
    case (.text(let text), .string(let expected)): #expect(text == expected, "\(label)")
    case (.bool(let flag), .bool(let expected)): #expect(flag == expected, "\(label)")
    case (.null, .null): break
    case (.float(let number), _): #expect(number.doubleValue == json.doubleValue, "\(label)")
    case (.array(let elements), .array(let expected)):
      #expect(elements.count == expected.count, "\(label)")
      for (element, json) in zip(elements, expected) { expect(element, says: json, label) }
    case (.map(let map), .object(let expected)):
      #expect(map.count == expected.count, "\(label)")
      for entry in map {
        guard let name = entry.key.textValue, let json = expected[name] else { continue }
        expect(entry.value, says: json, label)
      }
    case (.unsigned, .number(let number)): #expect(value == .unsigned(UInt64(number.text) ?? 0), "\(label)")
    case (.negative(let rest), .number): #expect(rest == .max, "\(label)")
    default: Issue.record("\(label): \(value) is not \(json)")
    }
  }

  @Test func refusesEveryMalformedItem() throws {
    let cases = try CBORCase.load("cbor-malformed.json", "cases")
    #expect(cases.count == 144)
    for item in cases {
      // Some cases break a second rule that stands earlier in the bytes; it may be the one that is named.
      let expected: Set<CBORError.Kind> =
        switch (item.text("kind"), item.text("sub")) {
        case ("too-little", "deep"): [.tooDeep, .truncated, .tag, .indefiniteLength]
        case ("too-little", "indef-string"), ("too-little", "indef-container"): [.indefiniteLength]
        case ("too-little", "huge-claim"): [.truncated, .nonShortestForm]
        case ("too-little", "tag"): [.tag]
        case ("too-little", "container"): [.truncated, .duplicateKey]
        case ("too-little", "head"): [.truncated, .tag]
        case ("too-little", _): [.truncated]
        case ("too-much", _): [.trailingBytes]
        case ("syntax-1", _): [.malformed, .tag]
        case ("syntax-2", _): [.malformed]
        case ("syntax-3", _): [.indefiniteLength]
        case ("syntax-4", "break-odd-map"): [.indefiniteLength]
        case ("syntax-4", _): [.unexpectedBreak, .indefiniteLength, .truncated]
        case ("syntax-5", _): [.malformed, .tag]
        default: []
        }
      let found = failure(item.bytes, CBORLimits(depth: 64))
      #expect(found.map(expected.contains) == true, "\(item.testDescription): \(String(describing: found))")
    }
  }

  @Test func tellsHowMuchOfTooMuchItRead() throws {
    for item in try CBORCase.load("cbor-malformed.json", "cases") where item.text("kind") == "too-much" {
      let (value, count) = try CBORValue.decodePrefix(item.bytes[...])
      #expect(count < item.bytes.count)
      #expect(value.encoded() == Array(item.bytes[..<count]))
      #expect(throws: CBORError(.trailingBytes, offset: count)) { try CBORValue.decode(item.bytes) }
    }
  }

  @Test func refusesWhatIsNotCanonical() throws {
    let cases = try CBORCase.load("cbor-ctap2-noncanonical.json", "reject")
    #expect(cases.count == 53)
    for item in cases {
      let expected = try #require(Self.kinds[item.texts("reasons")[0]])
      #expect(failure(item.bytes) == expected, "\(item.testDescription)")
    }
  }

  @Test func acceptsWhatIsCanonical() throws {
    let cases = try CBORCase.load("cbor-ctap2-noncanonical.json", "accept")
    #expect(cases.count == 8)
    for item in cases {
      #expect(try CBORValue.decode(item.bytes).encoded() == item.bytes, "\(item.testDescription)")
    }
  }

  @Test func anyKeyOrderRelaxesNothingElse() throws {
    for item in try CBORCase.load("cbor-ctap2-noncanonical.json", "reject") {
      let reason = try #require(Self.kinds[item.texts("reasons")[0]])
      if reason == .unsortedKeys {
        let value = try CBORValue.decode(item.bytes, keyOrder: .any)
        #expect(try CBORValue.decode(value.encoded()) == value)
      } else {
        let error = #expect(throws: CBORError.self) { try CBORValue.decode(item.bytes, keyOrder: .any) }
        #expect(error?.kind == reason, "\(item.testDescription)")
      }
    }
  }
}
