import AuthenticatorCBOR
import AuthenticatorCoding
import Testing

@Suite struct CBORValueTests {
  @Test func writesMapKeysInCTAP2Order() throws {
    let value: CBORValue = [
      "aa": 1, -1: 2, "b": 3, 3: 4, .bytes([9]): 5, 24: 6, true: 7, 1: 8, -25: 9,
    ]
    #expect(
      Hex.encode(value.encoded()) == "a9"  // 9 pairs
        + "0108" + "0304" + "181806"  // 1, 3, 24
        + "2002" + "381809"  // -1, -25
        + "410905"  // h'09'
        + "616203" + "62616101"  // "b", "aa"
        + "f507")
    #expect(try CBORValue.decode(value.encoded()) == value)
  }

  @Test func ordersContainersAsKeysByTheirEncoding() throws {
    let value: CBORValue = [[1, 2]: 1, [3]: 2, ["a": 1]: 3, []: 4]
    #expect(Hex.encode(value.encoded()) == "a4" + "8004" + "810302" + "82010201" + "a161610103")
  }

  @Test(arguments: [
    (0, "00"), (23, "17"), (24, "1818"), (255, "18ff"), (256, "190100"), (65_535, "19ffff"), (65_536, "1a00010000"),
    (-1, "20"), (-24, "37"), (-25, "3818"), (-257, "390100"), (Int.max, "1b7fffffffffffffff"),
    (Int.min, "3b7fffffffffffffff"),
  ])
  func writesIntegersInShortestForm(number: Int, hex: String) throws {
    #expect(Hex.encode(CBORValue.integer(number).encoded()) == hex)
    #expect(try CBORValue.decode(try Hex.decode(hex)).intValue == number)
  }

  @Test func keepsIntegersBeyondInt() throws {
    let value = try CBORValue.decode(try Hex.decode("3bffffffffffffffff"))
    #expect(value == .negative(.max))
    #expect(value.intValue == nil)
    #expect(CBORValue.unsigned(.max).intValue == nil)
  }

  @Test func keepsThePayloadOfNaN() throws {
    for hex in ["f97e01", "fa7fc00001", "fb7ff8000000000001"] {
      let bytes = try Hex.decode(hex)
      #expect(try CBORValue.decode(bytes).encoded() == bytes)
    }
  }

  @Test func simpleValuesExcludeThoseWithAMeaning() {
    #expect((0...255).filter { CBORSimpleValue($0) == nil } == Array(20...31))
  }

  @Test func mapReplacesAndRemoves() {
    var map: CBORMap = [1: "a", 2: "b"]
    map[1] = "c"
    map[2] = nil
    map[-1] = "d"
    #expect(map == [1: "c", -1: "d"])
    #expect(map.keys == [1, -1])
    #expect(map[5] == nil)
  }

  @Test func comparesTextKeysByBytes() throws {
    // The same character composed and decomposed: two keys.
    let composed = try CBORValue.decode(try Hex.decode("a262c3a901" + "6365cc8102"))
    #expect(composed.mapValue?.count == 2)
  }

  @Test func announcesItsSize() {
    let value: CBORValue = ["fmt": "none", "attStmt": [:], "authData": .bytes([UInt8](repeating: 7, count: 300))]
    #expect(value.encodedSize == value.encoded().count)
  }
}
