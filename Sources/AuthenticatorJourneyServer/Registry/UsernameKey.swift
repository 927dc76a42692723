internal import AuthenticatorCoding

/// What user names are compared by: lower case, then byte for byte, as a database does.
///
/// Swift calls texts equal that Unicode calls equivalent (an accented letter, and the letter with an accent after it).
/// Databases, messages and devices do not, so here they are names of two people everywhere.
public struct UsernameKey: Hashable, Sendable {
  /// The name in lower case, otherwise as it was given.
  public let text: String

  /// Takes a name as it was given.
  public init(_ name: String) { text = name.lowercased() }

  public static func == (left: UsernameKey, right: UsernameKey) -> Bool {
    left.text.isIdentical(to: right.text)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(identityOf: text)
  }
}
