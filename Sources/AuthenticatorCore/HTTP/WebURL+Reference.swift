extension WebURL {
  /// Where a reference leads that stands at this URL, such as a redirection's `Location` (RFC 9110 section 10.2.2, RFC
  /// 3986 section 5.2): an absolute URL, or one relative to this, without the reference's fragment. Nil: nowhere, or to
  /// no URL that this type holds.
  public func resolving(_ reference: String) -> WebURL? {
    let reference = String(reference.prefix { $0 != "#" })
    let name = reference.prefix { $0 != ":" && $0 != "/" && $0 != "?" }
    let target: String
    if reference.isEmpty {
      return nil
    } else if name.count < reference.count, reference[name.endIndex] == ":" {
      return try? WebURL(reference)
    } else if reference.hasPrefix("//") {
      target = scheme + ":" + reference
    } else if reference.hasPrefix("/") {
      target = origin + reference
    } else if reference.hasPrefix("?") {
      target = origin + path + reference
    } else {
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
      target = origin + folder + reference
    }
    guard var url = try? WebURL(target) else { return nil }
    url.path = Self.withoutDots(url.path)
    return url
  }

  /// A path without its steps to the same folder and to the one above (RFC 3986 section 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    var steps: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, part) in parts.enumerated() {
      guard part == "." || part == ".." else {
        steps.append(part)
        continue
      }
      if part == ".." { _ = steps.popLast() }
      if index == parts.count - 1 { steps.append("") }
    }
    return "/" + steps.joined(separator: "/")
  }
}
