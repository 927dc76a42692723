import AuthenticatorCoding
import Testing

@Suite struct JSONDocumentTests {
  private func root(_ text: String) throws -> JSONElement { try JSONDocument(text).root }

  @Test(arguments: [
    "null", "true", "false", "0", "-0", "17", "-9223372036854775808", "9223372036854775808", "1.50", "1e3", "\"\"",
    "\"text\"", #""\u0061\n\"\\\ud83d\ude00""#, "\"é\"", "[]", "{}", " [1, [2, [3]], {\"a\": []}] ",
    "{\"a\":1,\"b\":{\"c\":[true,null]},\"d\":\"e\"}", #"{"\u0061":1,"b":2}"#,
  ])
  func isTheValueThatTheParserReads(_ text: String) throws {
    #expect(try root(text).value == JSONValue.parse(text))
    #expect(try JSONDocument(JSONValue.parse(text)).root.value == JSONValue.parse(text))
  }

  @Test func givesWhatIsAskedFor() throws {
    let element = try root(#"{"number":7,"yes":true,"text":"a\u0062","list":["x",2],"bytes":"AQID","none":null}"#)
    #expect(element.isObject)
    #expect(element["number"]?.intValue == 7)
    #expect(element["yes"]?.boolValue == true)
    #expect(element["text"]?.stringValue == "ab")
    #expect(element["bytes"]?.base64URLValue == [1, 2, 3])
    #expect(element["absent"] == nil)
    #expect(element["list"]?.elements?.count == 2)
    #expect(element["list"]?.elements?.compactMap(\.stringValue) == ["x"])
    #expect(element.members?.map(\.name) == ["number", "yes", "text", "list", "bytes", "none"])
  }

  @Test func convertsNothing() throws {
    let element = try root(#"{"number":1.0,"text":"1","yes":1,"list":{},"bytes":"A","escaped":"A\u0051"}"#)
    #expect(element["number"]?.intValue == nil)
    #expect(element["text"]?.intValue == nil)
    #expect(element["yes"]?.boolValue == nil)
    #expect(element["yes"]?.stringValue == nil)
    #expect(element["list"]?.elements == nil)
    #expect(element["text"]?.members == nil)
    #expect(element["text"]?["name"] == nil)
    #expect(element["bytes"]?.base64URLValue == nil)
    #expect(element["escaped"]?.base64URLValue == [1])
    #expect(element["number"]?.base64URLValue == nil)
  }

  @Test func findsMembersBehindNestedOnes() throws {
    let element = try root(#"{"a":{"c":1,"d":[1,{"e":2}]},"b":{"c":3}}"#)
    #expect(element["b"]?["c"]?.intValue == 3)
    #expect(element["a"]?["d"]?.elements?.map(\.value) == [1, ["e": 2]])
    #expect(element["c"] == nil)
  }

  @Test(arguments: [
    #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, "{\"\u{E9}\":1,\"e\u{301}\":2}",
    "{" + (0..<40).map { "\"n\($0)\":0" }.joined(separator: ",") + ",\"n7\":1}",
    "{" + (0..<40).map { "\"n\($0)\":{\"n\($0)\":0}" }.joined(separator: ",") + #","\u006e39":1}"#,
  ])
  func rejectsDuplicateNames(_ text: String) throws {
    #expect { try JSONDocument(text) } throws: { ($0 as? JSONError)?.kind == .duplicateMember }
    #expect { try JSONValue.parse(text) } throws: { ($0 as? JSONError)?.kind == .duplicateMember }
  }

  @Test func takesManyNames() throws {
    let text = "{" + (0..<200).map { "\"name\($0)\":{\"name\($0)\":\($0)}" }.joined(separator: ",") + "}"
    #expect(
      try root(text).members?.compactMap { $0.value.members?.first { _ in true }?.value.intValue } == Array(0..<200))
  }

  @Test func rejectsWhatIsCutOff() throws {
    let text = Array(#"[{"a":[1,-2.5e3,"b\u00e9\n"],"c":{"d":true}},null]"#.utf8)
    for count in text.indices { #expect(throws: JSONError.self) { try JSONDocument(Array(text.prefix(count))) } }
    #expect(throws: JSONError(.trailingContent, offset: text.count)) { try JSONDocument(text + [0x30]) }
  }

  @Test func keepsLimits() throws {
    #expect(throws: JSONError.self) { try JSONDocument("[1,2]", limits: JSONLimits(bytes: 4)) }
    #expect(throws: JSONError.self) { try JSONDocument("[[1]]", limits: JSONLimits(depth: 1)) }
    #expect(throws: JSONError.self) { try JSONDocument("[\"abc\"]", limits: JSONLimits(textBytes: 2)) }
    #expect(throws: JSONError.self) { try JSONDocument("[1,2]", limits: JSONLimits(values: 2)) }
  }
}

@Suite struct JSONWriterTests {
  @Test func writesPieceByPieceWhatTheTreeIs() throws {
    var writer = JSONWriter(capacity: 0)
    writer.beginArray()
    writer.beginObject()
    writer.name("text")
    writer.write("a\"b\\\n\u{1}é")
    writer.name("empty")
    writer.beginObject()
    writer.endObject()
    writer.name("list")
    writer.beginArray()
    writer.write(Int64.min)
    writer.write(base64URL: [0xFB, 0xFF])
    writer.write(["a": [nil, true]])
    writer.endArray()
    writer.endObject()
    writer.write("")
    writer.endArray()
    let tree: JSONValue = [
      [
        "text": "a\"b\\\n\u{1}é", "empty": [:],
        "list": [.integer(.min), .string(Base64URL.encode([0xFB, 0xFF])), ["a": [nil, true]]],
      ], "",
    ]
    #expect(writer.text == tree.serializedString())
    #expect(writer.bytes == tree.serialized())
  }
}

@Suite struct IdenticalTextTests {
  @Test func comparesBytes() {
    #expect("name".isIdentical(to: "name"))
    #expect("".isIdentical(to: ""))
    #expect(!"name".isIdentical(to: "names"))
    #expect("e\u{301}" == "\u{E9}")
    #expect(!"e\u{301}".isIdentical(to: "\u{E9}"))
    #expect(!"a\u{301}\u{323}".isIdentical(to: "a\u{323}\u{301}"))
    var left = Hasher()
    var right = Hasher()
    left.combine(identityOf: "mira")
    right.combine(identityOf: "mira")
    #expect(left.finalize() == right.finalize())
  }
}
