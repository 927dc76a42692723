extension NodeContext {
  /// What a node that checks a secret answers: the user is taken over, or it was the wrong secret.
  ///
  /// Throws `RESTFailure` when the account is locked or switched off.
  mutating func result(of verdict: PasswordAuthority.Verdict) throws -> NodeResult {
    switch verdict {
    case .accepted(let user):
      // The name as it is stored, not as it was typed.
      state.username = user.name
      return .done(.true)
    case .refused: return .done(.false)
    case .locked(let retryAfter):
      services.log(.attemptLocked(realm: realm))
      throw RESTFailure.accountLocked(retryAfter: retryAfter)
    case .inactive: throw RESTFailure.accountInactive
    }
  }
}
