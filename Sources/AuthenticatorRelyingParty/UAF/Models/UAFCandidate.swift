/// An authenticator as a policy sees it.
public struct UAFCandidate: Hashable, Sendable {
  /// In upper case.
  public var aaid: String
  /// The scheme of its assertions.
  public var assertionScheme: String
  /// The number of its algorithm.
  public var authenticationAlgorithm: UInt16
  /// The kinds of attestation it may give; after a registration the one it gave.
  public var attestationTypes: [UInt16]
  /// The ways to verify, each with the flags of its methods.
  public var userVerifications: [UInt32]
  /// Flags.
  public var keyProtection: UInt16
  /// Flags.
  public var matcherProtection: UInt16
  /// Flags.
  public var attachmentHint: UInt32
  /// Flags.
  public var tcDisplay: UInt16
  /// Its keys in base64url.
  public var keyIDs: Set<String>
  /// The version it told; nil when it is not known.
  public var authenticatorVersion: UInt16?

  /// Describes an authenticator by its model.
  public init(
    _ model: UAFModelStatement, keyIDs: Set<String> = [], attestationType: UInt16? = nil,
    authenticatorVersion: UInt16? = nil
  ) {
    self.init(
      aaid: model.aaid, assertionScheme: model.assertionScheme,
      authenticationAlgorithm: model.signatureForm.rawValue,
      attestationTypes: attestationType.map { [$0] } ?? model.attestationTypes,
      userVerifications: model.userVerifications, keyProtection: model.keyProtection,
      matcherProtection: model.matcherProtection, attachmentHint: model.attachmentHint, tcDisplay: model.tcDisplay,
      keyIDs: keyIDs, authenticatorVersion: authenticatorVersion)
  }

  /// Describes an authenticator.
  public init(
    aaid: String, assertionScheme: String, authenticationAlgorithm: UInt16, attestationTypes: [UInt16],
    userVerifications: [UInt32], keyProtection: UInt16, matcherProtection: UInt16, attachmentHint: UInt32,
    tcDisplay: UInt16, keyIDs: Set<String> = [], authenticatorVersion: UInt16? = nil
  ) {
    self.aaid = UAFModelStatement.normalizedAAID(aaid) ?? aaid
    self.assertionScheme = assertionScheme
    self.authenticationAlgorithm = authenticationAlgorithm
    self.attestationTypes = attestationTypes
    self.userVerifications = userVerifications
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
    self.attachmentHint = attachmentHint
    self.tcDisplay = tcDisplay
    self.keyIDs = keyIDs
    self.authenticatorVersion = authenticatorVersion
  }
}

extension UAFAcceptanceCriteria {
  /// Whether every field that is present matches.
  public func matches(_ candidate: UAFCandidate) -> Bool {
    guard !hasUnknownExtension else { return false }
    if let aaids, !aaids.contains(candidate.aaid) { return false }
    if let vendorIDs, !vendorIDs.contains(where: { candidate.aaid.hasPrefix($0) }) { return false }
    if let keyIDs, !keyIDs.contains(where: { candidate.keyIDs.contains($0) }) { return false }
    if let wanted = userVerification, !candidate.userVerifications.contains(where: { Self.matches(wanted, $0) }) {
      return false
    }
    if let keyProtection, keyProtection & candidate.keyProtection == 0 { return false }
    if let matcherProtection, matcherProtection & candidate.matcherProtection == 0 { return false }
    if let attachmentHint, attachmentHint & candidate.attachmentHint == 0 { return false }
    if let tcDisplay, tcDisplay & candidate.tcDisplay == 0 { return false }
    if let authenticationAlgorithms, !authenticationAlgorithms.contains(candidate.authenticationAlgorithm) {
      return false
    }
    if let assertionSchemes, !assertionSchemes.contains(candidate.assertionScheme) { return false }
    if let attestationTypes, !attestationTypes.contains(where: { candidate.attestationTypes.contains($0) }) {
      return false
    }
    if let authenticatorVersion, let version = candidate.authenticatorVersion, version < authenticatorVersion {
      return false
    }
    return true
  }

  /// Equal, or a common method where neither side wants all.
  private static func matches(_ wanted: UInt32, _ offered: UInt32) -> Bool {
    wanted == offered || (wanted | offered) & UAFModelStatement.verifyAll == 0 && wanted & offered != 0
  }
}
