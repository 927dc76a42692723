extension String {
  /// Whether both are the same bytes of UTF-8: how names of users, applications and facets are compared, as servers and
  /// stores do. For `==`, texts are one that look alike and are encoded differently, and two users would become one.
  func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
