import AuthenticatorCore
import AuthenticatorCrypto

extension PINPolicy {
  /// Whether a new PIN, as it was typed, keeps these limits: for collectors, which show the limits and ask again, so
  /// that nobody enters a PIN twice that is refused afterwards. The authenticator checks it once more.
  public func admits(_ typed: SecretBytes) -> Bool {
    do {
      try PINText.check(PINText.normalized(typed), against: self)
      return true
    } catch {
      return false
    }
  }
}
