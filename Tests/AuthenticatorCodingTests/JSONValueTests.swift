import AuthenticatorCoding
import Testing

@Suite struct JSONValueTests {
  @Test(arguments: [
    ("0", 0), ("-1", -1), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
  ]) func readsIntegers(_ text: String, _ value: Int64) throws {
    #expect(try JSONValue.parse(text) == .integer(value))
    #expect(JSONValue.integer(value).serializedString() == text)
  }

  @Test(arguments: [
    "-0", "1.0", "1.50", "1e0", "1E+2", "9223372036854775808", "-9223372036854775809", "1e999", "0.1000000000000000055",
    "123456789012345678901234567890",
  ]) func keepsTheTextOfOtherNumbers(_ text: String) throws {
    let value = try JSONValue.parse(text)
    #expect(value == .number(try #require(JSONNumber(text: text))))
    #expect(value.serializedString() == text)
    #expect(value.intValue == nil)
  }

  @Test func convertsNothingSilently() throws {
    #expect(JSONValue.bool(true).intValue == nil)
    #expect(JSONValue.integer(1).boolValue == nil)
    #expect(JSONValue.string("1").intValue == nil)
    #expect(JSONValue.null.stringValue == nil)
    #expect(try JSONValue.parse("60.0").wholeNumberValue == 60)
    #expect(try JSONValue.parse("6e1").wholeNumberValue == 60)
    #expect(try JSONValue.parse("60.5").wholeNumberValue == nil)
    #expect(try JSONValue.parse("1e300").wholeNumberValue == nil)
    #expect(try JSONValue.parse("1e999").doubleValue == nil)
    #expect(try JSONValue.parse("2.5").doubleValue == 2.5)
  }

  @Test(arguments: ["", "01", "1.", ".5", "1e", "+1", "0x1", "1 ", " 1", "NaN", "Infinity", "--1", "1e+"])
  func refusesTextThatIsNoNumber(_ text: String) {
    #expect(JSONNumber(text: text) == nil)
  }

  @Test func infinitiesBecomeNull() {
    #expect(JSONValue.double(.infinity) == .null)
    #expect(JSONValue.double(.nan) == .null)
    #expect(JSONValue.double(2.5).serializedString() == "2.5")
  }

  @Test func keepsTheOrderOfMembers() throws {
    let text = #"{"z":1,"a":{"y":[],"b":{}},"m":null}"#
    #expect(try JSONValue.parse(text).serializedString() == text)
  }

  @Test func equalityIgnoresTheOrderOfMembers() throws {
    let left = try JSONValue.parse(#"{"a":1,"b":[2]}"#)
    let right = try JSONValue.parse(#"{"b":[2],"a":1}"#)
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(left != (try JSONValue.parse(#"{"a":1,"b":[3]}"#)))
    #expect(left != (try JSONValue.parse(#"{"a":1}"#)))
  }

  @Test func escapesOnlyWhatItMust() {
    let value: JSONValue = "\"\\/\u{8}\u{C}\n\r\t\u{1F}\u{0}\u{7F}é\u{2028}😀"
    #expect(value.serializedString() == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u001f\\u0000\u{7F}é\u{2028}😀\"")
  }

  @Test func literalsBuildValues() {
    let value: JSONValue = ["a": nil, "b": [true, 1, 1.5, "x"], "a": 2]
    #expect(value.serializedString() == #"{"a":2,"b":[true,1,1.5,"x"]}"#)
    #expect(value["b"]?[3]?.stringValue == "x")
    #expect(value["b"]?[4] == nil)
    #expect(value["b"]?[-1] == nil)
    #expect(value["c"] == nil)
  }
}

@Suite struct JSONObjectTests {
  @Test(arguments: [3, 40]) func setsReplacesAndRemoves(_ count: Int) {
    var object = JSONObject((0..<count).map { ("n\($0)", .integer(Int64($0))) })
    object["n1"] = "changed"
    object["new"] = true
    object["n0"] = nil
    #expect(object.count == count)
    #expect(object.names.first == "n1")
    #expect(object.names.last == "new")
    #expect(object["n0"] == nil)
    #expect(object["n1"] == "changed")
    #expect(object["n2"] == 2)
    #expect(object["new"] == true)
    object["absent"] = nil
    #expect(object.count == count)
  }
}
