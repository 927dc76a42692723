import AuthenticatorCoding
import AuthenticatorCore

/// Content to be shown and approved (FIDO UAF Protocol, section "Transaction").
public struct UAFTransaction: Hashable, Sendable {
  /// What is shown.
  public enum Content: Hashable, Sendable {
    /// At most 200 ASCII characters.
    case text(String)
    /// A PNG file.
    case png([UInt8])
  }

  /// `text/plain`.
  public static let plainText = "text/plain"
  /// `image/png`.
  public static let pngImage = "image/png"
  /// The longest text.
  public static let maximumTextCharacters = 200
  /// The largest picture, in bytes.
  public static let maximumImageBytes = 262_144

  /// The type as the message names it.
  public let contentType: String
  /// The content, decoded: what is hashed.
  public let content: [UInt8]
  /// The picture's header fields as the message states them.
  public let tcDisplayPNGCharacteristics: DisplayPNGCharacteristics?

  init(_ element: JSONElement) throws {
    let members = try MessageMembers(element, "transaction")
    contentType = try members.text("contentType", 1...64)
    content = try members.bytes("content", 1...Self.maximumImageBytes)
    tcDisplayPNGCharacteristics = try members.object["tcDisplayPNGCharacteristics"].map { element in
      try DisplayPNGCharacteristics(element)
    }
    if contentType == Self.pngImage, tcDisplayPNGCharacteristics == nil {
      throw members.malformed("tcDisplayPNGCharacteristics")
    }
  }

  /// What a display shows, and of a picture what it is.
  /// - Throws: `invalidTransactionContent` for a type that nobody knows, text that is no ASCII or too long, and what is
  ///   no PNG file or not the picture that the message states.
  func displayed() throws -> (content: Content, picture: DisplayPNGCharacteristics?) {
    switch contentType {
    case Self.plainText:
      // Control characters could hide or forge what is read; line breaks are harmless.
      let isText = content.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
      guard isText, content.count <= Self.maximumTextCharacters else {
        throw Self.invalid("is no text of 1 to \(Self.maximumTextCharacters) ASCII characters")
      }
      return (.text(String(decoding: content, as: UTF8.self)), nil)
    case Self.pngImage:
      guard let stated = tcDisplayPNGCharacteristics, let picture = PNGFile(content)?.characteristics,
        stated.admits(picture)
      else { throw Self.invalid("is no PNG image of the stated kind") }
      return (.png(content), picture)
    default: throw Self.invalid("is of an unknown type")
    }
  }

  static func invalid(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidTransactionContent, stage: "uaf.transaction", reason: "the content \(what)")
  }
}

/// The header of PNG pictures that a display shows (FIDO UAF Protocol, section "DisplayPNGCharacteristicsDescriptor").
public struct DisplayPNGCharacteristics: Hashable, Sendable {
  /// In pixels.
  public var width: UInt32
  /// In pixels.
  public var height: UInt32
  /// Bits of a sample or palette index.
  public var bitDepth: UInt8
  /// Gray, color, palette, with or without transparency.
  public var colorType: UInt8
  /// 0 is all there is.
  public var compression: UInt8
  /// 0 is all there is.
  public var filter: UInt8
  /// Whether the rows come in passes.
  public var interlace: UInt8
  /// The palette, as numbers of red, green and blue.
  public var palette: [[UInt16]]

  /// Makes a description.
  public init(
    width: UInt32, height: UInt32, bitDepth: UInt8, colorType: UInt8, compression: UInt8 = 0, filter: UInt8 = 0,
    interlace: UInt8 = 0, palette: [[UInt16]] = []
  ) {
    self.width = width
    self.height = height
    self.bitDepth = bitDepth
    self.colorType = colorType
    self.compression = compression
    self.filter = filter
    self.interlace = interlace
    self.palette = palette
  }

  /// Reads the JSON form.
  /// - Throws: `invalidMessage`.
  public init(_ value: JSONValue) throws {
    try self.init(try MessageMembers(value, "tcDisplayPNGCharacteristics"))
  }

  init(_ element: JSONElement) throws {
    try self.init(try MessageMembers(element, "tcDisplayPNGCharacteristics"))
  }

  private init(_ members: MessageMembers) throws {
    width = try members.number("width")
    height = try members.number("height")
    bitDepth = try members.number("bitDepth")
    colorType = try members.number("colorType")
    compression = try members.number("compression")
    filter = try members.number("filter")
    interlace = try members.number("interlace")
    palette =
      try members.optionalList("plte", maximum: 256)?.map { entry in
        let color = try MessageMembers(entry, "plte")
        return [try color.number("r"), try color.number("g"), try color.number("b")]
      } ?? []
  }

  /// Whether a picture is of this kind. Its palette counts where one is named.
  func admits(_ picture: DisplayPNGCharacteristics) -> Bool {
    var mine = self
    if mine.palette.isEmpty { mine.palette = picture.palette }
    return mine == picture
  }

  var json: JSONValue {
    var object = JSONObject([
      ("width", .integer(Int64(width))), ("height", .integer(Int64(height))),
      ("bitDepth", .integer(Int64(bitDepth))), ("colorType", .integer(Int64(colorType))),
      ("compression", .integer(Int64(compression))), ("filter", .integer(Int64(filter))),
      ("interlace", .integer(Int64(interlace))),
    ])
    if !palette.isEmpty {
      object["plte"] = .array(
        palette.map { color in
          .object(JSONObject(zip(["r", "g", "b"], color.map { JSONValue.integer(Int64($0)) }).map { ($0, $1) }))
        })
    }
    return .object(object)
  }
}
