/// Why a text is not the base64, base64url or hexadecimal form of any bytes. Never holds the text.
public enum TextDecodingError: Error, Hashable, Sendable {
  /// The byte at this offset of the UTF-8 text is outside the alphabet.
  case invalidCharacter(offset: Int)
  /// No byte string has an encoding of this length.
  case invalidLength
  /// Padding is missing where it must stand, or stands where it must not.
  case invalidPadding
  /// The last character carries bits that belong to no byte, and they are not zero.
  case nonzeroTrailingBits
}
