import AuthenticatorCoding

extension FuzzTarget {
  /// Strict JSON: what is read is written back so that it reads the same.
  static let json = FuzzTarget(name: "json", maximumLength: 4096) { bytes in
    guard let value = try? JSONValue.parse(bytes) else { return }
    let written = value.serialized()
    try expect((try? JSONValue.parse(written)) == value, "a JSON value reads back as it was written")
    try expect((try? JSONValue.parse(written))?.serialized() == written, "writing a JSON value is stable")
  }
}
