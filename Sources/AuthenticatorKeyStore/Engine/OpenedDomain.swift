import AuthenticatorCore
import AuthenticatorCrypto

/// What an opened domain hands to its keys: which domain it is, and its key.
struct OpenedDomain {
  let id: [UInt8]
  let key: SecretBytes
  /// The form in which it travels in a ticket: 16 bytes of identity and 32 of key.
  let authorization: KeyAuthorization

  init(_ domain: SecretDomain, id: [UInt8], key: SecretBytes) {
    self.id = id
    self.key = key
    authorization = .domain(domain, SecretBytes(id).joined(with: key))
  }

  /// Reads what a ticket carries; nil when it opens something else.
  init?(_ authorization: KeyAuthorization, of domain: SecretDomain) {
    guard case .domain(domain, let content) = authorization, content.count == 48, let key = content.part(16..<48)
    else { return nil }
    id = content.withUnsafeBytes { Array($0.prefix(16)) }
    self.key = key
    self.authorization = authorization
  }
}
