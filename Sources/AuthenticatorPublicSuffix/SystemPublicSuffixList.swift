internal import AuthenticatorCore
public import AuthenticatorWebAuthn
internal import CPSL

/// The public suffix list of this machine, read by libpsl: the distribution's copy when it is newer than the one built
/// into the library. Never fetched.
public final class SystemPublicSuffixList: PublicSuffixList, @unchecked Sendable {
  // Unchecked because of the C pointer: the list is complete before it is wrapped and only read afterwards.
  private let list: OpaquePointer

  /// Reads a small file; not to be done where blocking hurts.
  /// - Throws: `unsupported` when there is no list at all.
  public init() throws {
    // NULL: the distribution's file only, no directory of the user's own.
    guard let list = psl_latest(nil) else {
      throw AuthenticatorError(.unsupported, stage: "publicSuffixes", reason: "libpsl has no public suffix list")
    }
    guard psl_suffix_count(list) != 0 else {
      psl_free(list)
      throw AuthenticatorError(.unsupported, stage: "publicSuffixes", reason: "the public suffix list is empty")
    }
    self.list = list
  }

  deinit { psl_free(list) }

  public func publicSuffix(of host: String) -> String {
    // A host that contains a zero byte, or is longer than any domain, has no suffix but itself.
    guard host.utf8.count <= 253, !host.utf8.contains(0) else { return host }
    return host.withCString { text in
      // Points into the text; nil when the host is no domain.
      guard let suffix = psl_unregistrable_domain(list, text) else { return host }
      return String(cString: suffix)
    }
  }
}
