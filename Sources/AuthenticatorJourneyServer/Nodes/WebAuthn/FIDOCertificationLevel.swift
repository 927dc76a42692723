internal import AuthenticatorRelyingParty

/// A level of FIDO certification; each includes those before it. The raw value is the metadata's word.
public enum FIDOCertificationLevel: String, Hashable, Sendable, CaseIterable {
  /// Protects against large-scale attacks.
  case level1 = "L1"
  /// Level 1, and against more of the software beside it.
  case level1Plus = "L1plus"
  /// Runs in a restricted environment.
  case level2 = "L2"
  /// Level 2, with a closer look at the hardware.
  case level2Plus = "L2plus"
  /// Withstands simple physical attacks.
  case level3 = "L3"
  /// Withstands physical attacks on the chip.
  case level3Plus = "L3plus"

  /// The statuses one of which a model of this level has had.
  var statuses: Set<MetadataEntry.Status> {
    let levels = Self.allCases.drop { $0 != self }
    let statuses = levels.map { MetadataEntry.Status(rawValue: "FIDO_CERTIFIED_\($0.rawValue)") }
    // The older word without a level means the first; as a requirement it would include all of them.
    return Set(self == .level1 ? statuses + [.certified] : statuses)
  }
}
