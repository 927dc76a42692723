import AuthenticatorCoding
import TestVectors
import Testing

@Suite struct JSONParsingTests {
  struct SuiteCase {
    let name: String
    let verdict: String
    let bytes: [UInt8]
  }

  /// The cases of JSONTestSuite; the two too large to print are described by what they repeat.
  private func suiteCases() throws -> [SuiteCase] {
    let file = try JSONValue.parse(try Vectors.bytes("json-nasties.json"), limits: JSONLimits(values: 1 << 20))
    return try #require(file["cases"]?.arrayValue).map { entry in
      let name = try #require(entry["name"]?.stringValue)
      let bytes: [UInt8] =
        switch name {
        case "n_structure_100000_opening_arrays": Array(String(repeating: "[", count: 100_000).utf8)
        case "n_structure_open_array_object": Array((String(repeating: "[{\"\":", count: 50_000) + "\n").utf8)
        default: try Hex.decode(try #require(entry["hex"]?.stringValue))
        }
      return SuiteCase(name: name, verdict: try #require(entry["expect"]?.stringValue), bytes: bytes)
    }
  }

  /// JSONTestSuite's verdicts. Two accepted cases have a name twice, which RFC 8259 leaves open and we refuse; of the
  /// cases left open, those whose answer we document.
  @Test func followsJSONTestSuite() throws {
    var counts: [String: Int] = [:]
    for entry in try suiteCases() {
      let isAccepted = (try? JSONValue.parse(entry.bytes)) != nil
      counts[entry.verdict, default: 0] += 1
      switch entry.verdict {
      case "accept": #expect(isAccepted == !entry.name.contains("duplicated_key"), "\(entry.name)")
      case "reject": #expect(!isAccepted, "\(entry.name)")
      default:
        if entry.name.hasPrefix("i_string") || entry.name.hasPrefix("i_structure_UTF-8_BOM") {
          #expect(!isAccepted, "\(entry.name)")
        }
        if entry.name.hasPrefix("i_number") { #expect(isAccepted, "\(entry.name)") }
      }
    }
    #expect(counts == ["accept": 95, "reject": 188, "either": 57])
  }

  @Test func everythingAcceptedSurvivesWriting() throws {
    var accepted = 0
    for entry in try suiteCases() {
      guard let value = try? JSONValue.parse(entry.bytes) else { continue }
      accepted += 1
      #expect(try JSONValue.parse(value.serialized()) == value)
    }
    #expect(accepted >= 93)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let text: String
    let kind: JSONError.Kind
    let offset: Int
    init(_ text: String, _ kind: JSONError.Kind, _ offset: Int) {
      (self.text, self.kind, self.offset) = (text, kind, offset)
    }
    var testDescription: String { text }
  }

  @Test(arguments: [
    Refusal("", .unexpectedEnd, 0), Refusal(" ", .unexpectedEnd, 1), Refusal("{\"a\":1,\"a\":1}", .duplicateMember, 7),
    Refusal("{\"a\":1,\"\\u0061\":1}", .duplicateMember, 7), Refusal("[1,]", .unexpectedByte, 3),
    Refusal("{\"a\":1,}", .unexpectedByte, 7), Refusal("1 2", .trailingContent, 2),
    Refusal("\u{FEFF}1", .byteOrderMark, 0),
    Refusal("\"\\uD800\"", .loneSurrogate, 1), Refusal("\"\\uDC00\"", .loneSurrogate, 1),
    Refusal("\"\\uD800\\u0041\"", .loneSurrogate, 1), Refusal("\"\n\"", .controlCharacter, 1),
    Refusal("\"\\x\"", .invalidEscape, 2), Refusal("\"\\u00g0\"", .invalidEscape, 5),
    Refusal("01", .trailingContent, 1),
    Refusal("-", .unexpectedEnd, 1), Refusal("1.x", .invalidNumber, 2), Refusal("+1", .unexpectedByte, 0),
    Refusal("tru", .unexpectedEnd, 3), Refusal("nulL", .unexpectedByte, 3), Refusal("NaN", .unexpectedByte, 0),
    Refusal("[1", .unexpectedEnd, 2), Refusal("{1:2}", .unexpectedByte, 1), Refusal("'a'", .unexpectedByte, 0),
    Refusal("\"abcdefgh", .unexpectedEnd, 9), Refusal("\"\\", .unexpectedEnd, 2), Refusal("\u{0}", .unexpectedByte, 0),
  ]) func saysWhatIsWrongAndWhere(_ refusal: Refusal) {
    let error = #expect(throws: JSONError.self) { try JSONValue.parse(refusal.text) }
    #expect(error == JSONError(refusal.kind, offset: refusal.offset))
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xE2, 0x82, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22],
    ] as [[UInt8]]) func refusesBadUTF8(_ bytes: [UInt8])
  {
    let error = #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
    #expect(error?.kind == .invalidUTF8)
  }

  @Test func everyPrefixOfAMessageIsRefusedOrWhole() throws {
    let text = #"{"authId":"eyJ\u0041\uD83D\uDE00\\é","callbacks":[{"n":-12.5e+3,"b":[true,false,null]}]}"#
    let bytes = Array(text.utf8)
    for length in 0..<bytes.count {
      let error = #expect(throws: JSONError.self) { try JSONValue.parse(Array(bytes.prefix(length))) }
      #expect(
        error?.kind == .unexpectedEnd || error?.kind == .invalidUTF8 || error?.kind == .invalidEscape, "\(length)")
    }
    #expect(try JSONValue.parse(bytes)["callbacks"]?[0]?["b"]?[2] == .null)
  }

  /// A flipped bit gives either an error or a text that survives writing; never a crash.
  @Test func flippedBitsDoNoHarm() throws {
    let bytes = Array(#"{"a":"b\u00e9\n","c":[1,-2.5e3,true,null,{"d":"😀"}]}"#.utf8)
    var accepted = 0
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        guard let value = try? JSONValue.parse(flipped) else { continue }
        accepted += 1
        #expect(try JSONValue.parse(value.serialized()) == value)
      }
    }
    #expect(accepted > 0 && accepted < bytes.count * 8)
  }

  @Test func stringsOfEveryLengthAreRead() throws {
    // The parser takes eight bytes at once: a stop must be found wherever it stands.
    for length in 0..<40 {
      let plain = String(repeating: "x", count: length)
      #expect(try JSONValue.parse("\"\(plain)\"") == .string(plain))
      #expect(try JSONValue.parse("\"\(plain)\\\"\(plain)\"") == .string("\(plain)\"\(plain)"))
      #expect(try JSONValue.parse("\"\(plain)é\(plain)\"") == .string("\(plain)é\(plain)"))
      let control = Array("\"\(plain)".utf8) + [0x1F] + Array("abcdefgh\"".utf8)
      let error = #expect(throws: JSONError.self) { try JSONValue.parse(control) }
      #expect(error == JSONError(.controlCharacter, offset: length + 1))
    }
  }
}

@Suite struct JSONLimitsTests {
  private func refusal(_ text: String, _ limits: JSONLimits) -> JSONError.Kind? {
    do {
      _ = try JSONValue.parse(text, limits: limits)
      return nil
    } catch { return error.kind }
  }

  @Test func boundsDepth() {
    let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(refusal(nested(64), .default) == nil)
    #expect(refusal(nested(65), .default) == .tooDeep)
    #expect(refusal(String(repeating: "[", count: 100_000), .default) == .tooDeep)
    #expect(refusal(String(repeating: "{\"a\":", count: 100_000), .default) == .tooDeep)
    #expect(refusal(nested(513), JSONLimits(depth: 1_000_000)) == .tooDeep)
    #expect(refusal(nested(512), JSONLimits(depth: 1_000_000)) == nil)
  }

  @Test func boundsBytes() {
    #expect(refusal("[1,2]", JSONLimits(bytes: 5)) == nil)
    #expect(refusal("[1,2]", JSONLimits(bytes: 4)) == .tooLong)
  }

  @Test func boundsText() {
    let limits = JSONLimits(textBytes: 4)
    #expect(refusal("\"abcd\"", limits) == nil)
    #expect(refusal("\"abcde\"", limits) == .textTooLong)
    #expect(refusal("{\"abcde\":1}", limits) == .textTooLong)
    #expect(refusal("\"\\u00410\"", limits) == .textTooLong)
    #expect(refusal("12345.5", limits) == .textTooLong)
  }

  @Test func boundsValues() {
    #expect(refusal("[1,2]", JSONLimits(values: 3)) == nil)
    #expect(refusal("[1,2]", JSONLimits(values: 2)) == .tooManyValues)
  }

  @Test func manyNamesAreStillCheckedForDuplicates() throws {
    let members = (0..<2000).map { "\"n\($0)\":\($0)" }
    let value = try JSONValue.parse("{\(members.joined(separator: ","))}")
    #expect(value.objectValue?.count == 2000)
    #expect(value["n1999"] == 1999)
    #expect(refusal("{\(members.joined(separator: ",")),\"n7\":1}", .default) == .duplicateMember)
  }
}
