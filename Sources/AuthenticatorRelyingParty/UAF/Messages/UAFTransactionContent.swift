internal import AuthenticatorCoding
internal import AuthenticatorCrypto

/// What a person is shown and confirms, in one of its forms (UAF Protocol 1.1 section 3.1.11, "Transaction").
public struct UAFTransactionContent: Hashable, Sendable {
  /// The display's picture (Metadata Statements 1.1 section 2.2).
  public struct PNGCharacteristics: Hashable, Sendable {
    /// In pixels.
    public var width: UInt32
    /// In pixels.
    public var height: UInt32
    /// As in PNG.
    public var bitDepth: UInt8
    /// As in PNG.
    public var colorType: UInt8
    /// As in PNG.
    public var compression: UInt8
    /// As in PNG.
    public var filter: UInt8
    /// As in PNG.
    public var interlace: UInt8

    /// Describes a picture.
    public init(
      width: UInt32, height: UInt32, bitDepth: UInt8, colorType: UInt8, compression: UInt8 = 0, filter: UInt8 = 0,
      interlace: UInt8 = 0
    ) {
      self.width = width
      self.height = height
      self.bitDepth = bitDepth
      self.colorType = colorType
      self.compression = compression
      self.filter = filter
      self.interlace = interlace
    }

    var json: JSONValue {
      [
        "width": .integer(Int64(width)), "height": .integer(Int64(height)), "bitDepth": .integer(Int64(bitDepth)),
        "colorType": .integer(Int64(colorType)), "compression": .integer(Int64(compression)),
        "filter": .integer(Int64(filter)), "interlace": .integer(Int64(interlace)),
      ]
    }
  }

  /// Why a content cannot be sent.
  public enum Refusal: String, Error, Hashable, Sendable {
    /// It is empty or longer than its type allows.
    case length
    /// A text that is not ASCII, or holds characters that cannot be shown.
    case notASCII
    /// Not a whole PNG picture; clients show no damaged one.
    case notPNG
  }

  /// The most characters of a text.
  public static let maximumTextCharacters = 200
  /// The most bytes of a picture; the message has to stay small.
  public static let maximumPNGBytes = 12_000

  /// `text/plain` or `image/png`.
  public let contentType: String
  /// The bytes that are shown.
  public let content: [UInt8]
  /// What a display must be able to show; nil for a text.
  public let characteristics: PNGCharacteristics?

  /// A text of 1 to 200 printable ASCII characters and line breaks. Throws `Refusal`.
  public init(text: String) throws(Refusal) {
    let bytes = Array(text.utf8)
    guard (1...Self.maximumTextCharacters).contains(bytes.count) else { throw .length }
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D }) else { throw .notASCII }
    contentType = "text/plain"
    content = bytes
    characteristics = nil
  }

  /// A picture: one whole PNG file, each of its parts intact. What a display must be able to show is read from its
  /// head. Throws `Refusal`.
  public init(png bytes: [UInt8]) throws(Refusal) {
    guard (1...Self.maximumPNGBytes).contains(bytes.count) else { throw .length }
    guard let characteristics = UAFPicture(png: bytes)?.characteristics else { throw .notPNG }
    contentType = "image/png"
    content = bytes
    self.characteristics = characteristics
  }

  /// Takes the content of a request that was sent before, for comparison only; nil: it is no transaction.
  init?(json: JSONValue) {
    guard let type = json["contentType"]?.stringValue, type == "text/plain" || type == "image/png",
      let text = json["content"]?.stringValue, let bytes = try? Base64URL.decode(text), !bytes.isEmpty
    else { return nil }
    contentType = type
    content = bytes
    characteristics = nil
  }

  /// What an assertion has to name: SHA-256 of the content.
  public var hash: [UInt8] { SHA256.hash(content) }

  /// The transaction as a message has it.
  var json: JSONValue {
    var object: JSONObject = [
      "contentType": .string(contentType), "content": .string(Base64URL.encode(content)),
    ]
    if let characteristics { object["tcDisplayPNGCharacteristics"] = characteristics.json }
    return .object(object)
  }
}
