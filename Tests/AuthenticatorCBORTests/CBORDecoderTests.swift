import AuthenticatorCBOR
import AuthenticatorCoding
import Foundation
import TestMachine
import Testing

@Suite struct CBORDecoderTests {
  /// A none-attestation object with an ES256 key, as bytes.
  static let sample: [UInt8] = {
    let key: CBORValue = [
      1: 2, 3: -7, -1: 1, -2: .bytes([UInt8](repeating: 0x11, count: 32)),
      -3: .bytes([UInt8](repeating: 0x22, count: 32)),
    ]
    return CBORValue.map([
      "fmt": "packed", "authData": .bytes(key.encoded()),
      "attStmt": [
        "alg": -7, "sig": .bytes([1, 2, 3]), "x5c": [.bytes([4]), .bytes([5, 6])], "f": .float(.init(1.5)),
      ],
    ]).encoded()
  }()

  @Test func everyPrefixIsTruncated() throws {
    for count in 0..<Self.sample.count {
      let error = #expect(throws: CBORError.self) { try CBORValue.decode(Self.sample[..<count]) }
      #expect(error?.kind == .truncated, "after \(count) bytes")
    }
    #expect(try CBORValue.decode(Self.sample).encoded() == Self.sample)
  }

  @Test func everyBitFlipThrowsOrRoundTrips() {
    for index in Self.sample.indices {
      for bit in 0..<8 {
        var bytes = Self.sample
        bytes[index] ^= 1 << bit
        do throws(CBORError) {
          #expect(try CBORValue.decode(bytes).encoded() == bytes)
        } catch { #expect(CBORError.Kind.allCases.contains(error.kind) && error.kind != .libraryFailed) }
      }
    }
  }

  @Test func everyShortInputThrowsOrRoundTrips() {
    var wrong: [String] = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        for bytes in [[first, second], [first, second, 0x00, 0x01]].prefix(second & 7 == 0 ? 2 : 1) {
          do throws(CBORError) {
            let (value, count) = try CBORValue.decodePrefix(bytes[...])
            if value.encoded() != Array(bytes[..<count]) { wrong.append(Hex.encode(bytes)) }
          } catch { if error.kind == .libraryFailed { wrong.append(Hex.encode(bytes)) } }
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test(arguments: [1, 4, 8])
  func stopsAtTheDepthItIsGiven(depth: Int) throws {
    let limits = CBORLimits(depth: depth)
    func nested(_ levels: Int) -> [UInt8] { [UInt8](repeating: 0x81, count: levels) + [0x00] }
    #expect(try CBORValue.decode(nested(depth), limits: limits).encoded() == nested(depth))
    #expect(throws: CBORError(.tooDeep, offset: depth)) { try CBORValue.decode(nested(depth + 1), limits: limits) }
  }

  @Test func neverNestsBeyondSixtyFour() {
    let bytes = [UInt8](repeating: 0x81, count: 60_000)
    #expect(throws: CBORError(.tooDeep, offset: 64)) {
      try CBORValue.decode(bytes, limits: CBORLimits(depth: .max))
    }
  }

  @Test func siblingsDoNotAddUpToDepth() throws {
    let value: CBORValue = [[[[1]]], [[[2]]], [[[3]]]]
    #expect(try CBORValue.decode(value.encoded()) == value)
  }

  @Test func refusesInputBeyondTheByteLimit() throws {
    let limits = CBORLimits(bytes: 10, depth: 4)
    #expect(try CBORValue.decode([0x49] + [UInt8](repeating: 0, count: 9), limits: limits).bytesValue?.count == 9)
    let error = #expect(throws: CBORError.self) {
      try CBORValue.decode([0x4A] + [UInt8](repeating: 0, count: 10), limits: limits)
    }
    #expect(error?.kind == .tooLong)
  }

  @Test func readsAPrefixAndLeavesTheRest() throws {
    let (value, count) = try CBORValue.decodePrefix([0x82, 0x01, 0x02, 0xFF, 0xFF][...])
    #expect(value == [1, 2])
    #expect(count == 3)
  }

  @Test func readsASliceByItsOwnOffsets() {
    let bytes: [UInt8] = [0xFF, 0xFF, 0x82, 0x01]
    #expect(throws: CBORError(.truncated, offset: 0)) { try CBORValue.decode(bytes[2...].dropLast()) }
    #expect(throws: CBORError(.truncated, offset: 0)) { try CBORValue.decode(bytes[3...].dropFirst()) }
  }

  @Test func findsRepeatedKeysFarApart() {
    let bytes: [UInt8] = [0xA3, 0x02, 0x00, 0x01, 0x00, 0x02, 0x00]
    #expect(throws: CBORError(.duplicateKey, offset: 0)) { try CBORValue.decode(bytes, keyOrder: .any) }
    #expect(throws: CBORError(.unsortedKeys, offset: 3)) { try CBORValue.decode(bytes) }
  }

  /// Claims of up to 2^64 elements, and inputs of many small elements, in a process of its own so that its memory can
  /// be looked at.
  @Test func sizeBombsStayWithinSixteenMebibytes() async {
    await #expect(processExitsWith: .success) {
      func refuse(_ bytes: [UInt8]) { if (try? CBORValue.decode(bytes, limits: .attestationObject)) != nil { exit(2) } }
      refuse([0x9A, 0, 0, 0, 1])
      let before = try peakMemory()
      for head in [0x5A, 0x5B, 0x7A, 0x7B, 0x9A, 0x9B, 0xBA, 0xBB] as [UInt8] {
        let width = head & 1 == 0 ? 4 : 8
        for top in [0x0F, 0x7F, 0xFF] as [UInt8] {
          refuse([head, top] + [UInt8](repeating: 0xFF, count: width - 1) + [0])
          refuse([head, 0] + [UInt8](repeating: 0xFF, count: width - 1) + [0, 0, 0])
        }
      }
      // As many elements as fit, one too few; arrays in arrays; a map in the worst order.
      refuse([0x99, 0xFF, 0xFC] + [UInt8](repeating: 0x80, count: 65_531))
      refuse([0x99, 0xFF, 0xFF] + [UInt8](repeating: 0xA0, count: 65_536))
      var map: [UInt8] = [0xB9, 0x40, 0x00]
      for key in stride(from: UInt16(0x3FFF), through: 0x0100, by: -1) {
        map += [0x19, UInt8(key >> 8), UInt8(truncatingIfNeeded: key), 0x00]
      }
      if (try? CBORValue.decode(map, keyOrder: .any)) != nil { exit(3) }
      #expect(try peakMemory() - before <= 16 << 20)
    }
  }
}
