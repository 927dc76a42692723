/// How sure the caller must be that the person is there; a minimum. A gated key raises it, so that one prompt serves
/// both.
public enum VerificationLevel: Int, Comparable, Hashable, Sendable {
  /// Nothing is asked.
  case none
  /// Somebody is there.
  case presence
  /// This person is there.
  case verified

  public static func < (left: VerificationLevel, right: VerificationLevel) -> Bool { left.rawValue < right.rawValue }
}
