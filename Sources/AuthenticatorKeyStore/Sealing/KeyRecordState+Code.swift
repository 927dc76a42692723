import AuthenticatorCore

extension KeyRecord.State {
  /// The number in the store; part of the schema.
  var code: Int64 {
    switch self {
    case .staged: 0
    case .active: 1
    case .retired: 2
    case .revoking: 3
    }
  }

  init?(code: Int64) {
    guard let state = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = state
  }
}

extension Set<KeyRecord.State> {
  /// The states as a bit set; -1 for all of them.
  var mask: Int64 { count == Element.allCases.count ? -1 : reduce(0) { $0 | 1 << $1.code } }
}
