import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import Testing

@testable import AuthenticatorUAF

/// Transactions as pictures: only what is really of the kind that the model shows is shown.
struct PictureTests {
  /// A picture of one row, chunk by chunk; a test bends one.
  struct TestPNG {
    var chunks: [(type: String, content: [UInt8])]

    init(width: UInt8 = 2, colorType: UInt8 = 2, palette: [UInt8]? = nil) {
      chunks = [("IHDR", [0, 0, 0, width, 0, 0, 0, 1, 8, colorType, 0, 0, 0])]
      if let palette { chunks.append(("PLTE", palette)) }
      chunks += [("IDAT", [0x78, 0x9C, 0x63, 0x60, 0x00]), ("IEND", [])]
    }

    var bytes: [UInt8] {
      var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      for chunk in chunks {
        let checked = Array(chunk.type.utf8) + chunk.content
        bytes += Self.number(UInt32(chunk.content.count))
        bytes += checked
        bytes += Self.number(Self.checksum(checked))
      }
      return bytes
    }

    private static func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    /// By a table of the remainders of all bytes.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
      var value = UInt32.max
      for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
      return ~value
    }

    private static let table: [UInt32] = (0..<256).map { index in
      var value = UInt32(index)
      for _ in 0..<8 {
        let isOdd = value & 1 == 1
        value >>= 1
        if isOdd { value ^= 0xEDB8_8320 }
      }
      return value
    }
  }

  private struct Gallery: UAFTransactionDisplay {
    var displaysImages = true
    func approve(_ content: UAFTransaction.Content, prompt: Prompt, deadline: Duration) async throws -> Bool {
      if case .png = content { displaysImages } else { true }
    }
  }

  private static func characteristics(
    width: UInt32 = 2, colorType: UInt8 = 2, palette: [[UInt16]] = []
  ) -> DisplayPNGCharacteristics {
    DisplayPNGCharacteristics(width: width, height: 1, bitDepth: 8, colorType: colorType, palette: palette)
  }

  private static func form(_ png: TestPNG, _ stated: DisplayPNGCharacteristics = characteristics()) -> JSONValue {
    [
      "contentType": "image/png", "content": .string(Base64URL.encode(png.bytes)),
      "tcDisplayPNGCharacteristics": stated.json,
    ]
  }

  private static let text: JSONValue = ["contentType": "text/plain", "content": .string(Base64URL.encode([0x50]))]

  private func kit(
    _ shown: [DisplayPNGCharacteristics] = [characteristics()],
    configure: (inout UAFClientConfiguration) -> Void = { $0.display = Gallery() }
  ) async throws -> UAFKit {
    let kit = try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(
          aaid: try UAFKit.Model.presence.aaid, behavior: .presence, tcDisplayPNGCharacteristics: shown)
      ]
      configure(&configuration)
    }
    try await kit.register(.presence, steps: .approve)
    return kit
  }

  @Test func readsACompleteFile() throws {
    #expect(TestPNG.checksum(Array("IEND".utf8)) == 0xAE42_6082)
    #expect(PNGFile(TestPNG().bytes)?.characteristics == Self.characteristics())
    let indexed = TestPNG(colorType: 3, palette: [1, 2, 3, 4, 5, 6])
    #expect(
      PNGFile(indexed.bytes)?.characteristics == Self.characteristics(colorType: 3, palette: [[1, 2, 3], [4, 5, 6]]))
    var told = TestPNG()
    told.chunks.insert(("tEXt", [0x41]), at: 1)
    #expect(PNGFile(told.bytes) != nil)
  }

  @Test func refusesEveryPrefixEveryFlippedBitAndWhatFollows() {
    let whole = TestPNG(colorType: 3, palette: [1, 2, 3]).bytes
    for count in 0..<whole.count { #expect(PNGFile(Array(whole.prefix(count))) == nil) }
    for index in whole.indices {
      for bit in 0..<8 {
        var bent = whole
        bent[index] ^= 1 << bit
        #expect(PNGFile(bent) == nil, "bit \(bit) of byte \(index)")
      }
    }
    #expect(PNGFile(whole + [0]) == nil)
    #expect(PNGFile(whole + whole) == nil)
  }

  @Test func refusesChunksOutOfPlace() {
    let bends: [(inout TestPNG) -> Void] = [
      { $0.chunks.remove(at: 1) }, { $0.chunks.swapAt(0, 1) }, { $0.chunks.append(("IEND", [])) },
      { $0.chunks.insert(("IHDR", $0.chunks[0].content), at: 1) }, { $0.chunks[2].content = [0] },
      { $0.chunks.insert(("PLTE", [1, 2, 3]), at: 2) }, { $0.chunks.insert(("PLTE", [1, 2]), at: 1) },
      { $0.chunks.insert(("PLTE", []), at: 1) }, { $0.chunks.insert(("NEWT", [1]), at: 1) },
      { $0.chunks.insert(("a1bc", [1]), at: 1) }, { $0.chunks[0].content[8] = 4 }, { $0.chunks[0].content[9] = 5 },
      { $0.chunks[0].content[9] = 3 }, { $0.chunks[0].content[10] = 1 }, { $0.chunks[0].content[3] = 0 },
      { $0.chunks[0].content[0] = 0x80 }, { $0.chunks.insert(contentsOf: [("tEXt", [1]), $0.chunks[1]], at: 2) },
      { png in for _ in 0..<2 { png.chunks.insert(("PLTE", [1, 2, 3]), at: 1) } },
    ]
    for (index, bend) in bends.enumerated() {
      var png = TestPNG()
      bend(&png)
      #expect(PNGFile(png.bytes) == nil, "bend \(index)")
    }
  }

  @Test func showsWhatTheModelShows() async throws {
    let kit = try await kit()
    let message = UAFKit.authentication(.presence, transaction: [Self.form(TestPNG())])
    #expect(await kit.client.checkPolicy(message, facetID: UAFKit.facet) == .noError)
    let result = await kit.authenticate(message, steps: .approve)
    #expect(try UAFKit.signed(result.message).transactionContentHash == SHA256.hash(TestPNG().bytes))
  }

  @Test func refusesWhatTheModelDoesNotShow() async throws {
    let palette: [[UInt16]] = [[1, 2, 3]]
    let indexed = TestPNG(colorType: 3, palette: [1, 2, 3])
    let kit = try await kit([Self.characteristics(), Self.characteristics(colorType: 3, palette: palette)])
    let shown = kit.prompts.count
    let forms: [JSONValue] = [
      // Of another size than the model shows, or than the message states.
      Self.form(TestPNG(width: 3), Self.characteristics(width: 3)), Self.form(TestPNG(width: 3)),
      Self.form(TestPNG(), Self.characteristics(width: 3)),
      // Of another palette.
      Self.form(
        TestPNG(colorType: 3, palette: [9, 9, 9]), Self.characteristics(colorType: 3, palette: [[9, 9, 9]])),
      Self.form(TestPNG(colorType: 3, palette: [9, 9, 9]), Self.characteristics(colorType: 3, palette: palette)),
      Self.form(indexed, Self.characteristics(colorType: 3, palette: [[9, 9, 9]])),
    ]
    for form in forms {
      let message = UAFKit.authentication(.presence, transaction: [form])
      #expect(await kit.authenticate(message, steps: .approve).outcome == .invalidTransactionContent)
      #expect(await kit.client.checkPolicy(message, facetID: UAFKit.facet) == .invalidTransactionContent)
    }
    #expect(kit.prompts.count == shown)
    let right = Self.form(indexed, Self.characteristics(colorType: 3, palette: palette))
    let result = await kit.authenticate(UAFKit.authentication(.presence, transaction: [right]), steps: .approve)
    #expect(result.outcome == .success)
  }

  @Test func takesTheFormThatFits() async throws {
    let kit = try await kit()
    let wide = Self.form(TestPNG(width: 3), Self.characteristics(width: 3))
    for (forms, content) in [
      ([wide, Self.form(TestPNG())], TestPNG().bytes), ([wide, Self.text], [0x50]),
    ] as [([JSONValue], [UInt8])] {
      let result = await kit.authenticate(
        UAFKit.authentication(.presence, transaction: .array(forms)), steps: .approve, .approve)
      #expect(try UAFKit.signed(result.message).transactionContentHash == SHA256.hash(content))
    }
  }

  @Test func viewsOfTheAppsOwnShowPicturesWithoutADisplay() async throws {
    let kit = try await kit { $0.viewDisplaysImages = true }
    #expect(await kit.client.discover().availableAuthenticators.first?.tcDisplayPNGCharacteristics.count == 1)
    let message = UAFKit.authentication(.presence, transaction: [Self.form(TestPNG())])
    kit.device.verifier.script([.approve])
    let view = kit.client.authenticationView(message, facetID: UAFKit.facet)
    var codes: [UAFErrorCode] = []
    for await state in view.states {
      codes.append(state.errorCode)
      if case .approval(.png(let bytes), _) = state {
        #expect(bytes == TestPNG().bytes)
        view.approve(true)
      }
    }
    #expect(await view.result.outcome == .success)
    #expect(codes.last == .noError)
    #expect(codes.dropLast().allSatisfy { $0 == .waitUserAction } && codes.count > 1)
    // The direct call has a text display only.
    let direct = await kit.authenticate(message, steps: .approve)
    #expect(direct.outcome == .invalidTransactionContent)
  }
}
