import AuthenticatorCore
import AuthenticatorKeyStore

enum SoftwareKeys {
  static var provider: any KeyProvider { SoftwareKeyProvider() }
}
