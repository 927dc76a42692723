/// How two map keys stand to each other in CTAP2's canonical order (CTAP 2.1 section 8).
enum CanonicalOrder {
  case before
  case same
  case after

  static func compare(_ left: CBORValue, _ right: CBORValue) -> CanonicalOrder {
    switch (left, right) {
    case (.unsigned(let left), .unsigned(let right)), (.negative(let left), .negative(let right)):
      // A number's shortest form is as long as its magnitude asks for, so both rules agree with its value.
      return of(left, right)
    case (.bytes(let left), .bytes(let right)): return strings(left, right)
    case (.text(let left), .text(let right)): return strings(left.utf8, right.utf8)
    default:
      let types = of(left.majorType, right.majorType)
      return types == .same ? strings(left.encoded(), right.encoded()) : types
    }
  }

  private static func of<Value: Comparable>(_ left: Value, _ right: Value) -> CanonicalOrder {
    left < right ? .before : left == right ? .same : .after
  }

  /// The shorter first, then by bytes.
  private static func strings(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> CanonicalOrder {
    let lengths = of(left.count, right.count)
    guard lengths == .same else { return lengths }
    for (left, right) in zip(left, right) where left != right { return of(left, right) }
    return .same
  }
}

extension CBORValue {
  /// The major type: the top three bits of the first byte.
  var majorType: UInt8 {
    switch self {
    case .unsigned: 0
    case .negative: 1
    case .bytes: 2
    case .text: 3
    case .array: 4
    case .map: 5
    case .bool, .null, .undefined, .simple, .float: 7
    }
  }
}
