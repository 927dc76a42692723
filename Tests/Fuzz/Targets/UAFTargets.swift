import AuthenticatorCore
import AuthenticatorUAF

extension FuzzTarget {
  /// UAF assertions: strict TLV, which reads back what stands in it.
  static let uafAssertion = FuzzTarget(name: "uaf-assertion", maximumLength: 4096) { bytes in
    if let element = try? TLVElement(bytes) {
      try expect(element.rawBytes == bytes, "an element keeps its bytes")
      try expect(element.value.count + 4 == bytes.count, "an element fills the input")
    }
    if let assertion = try? RegistrationAssertion(bytes) {
      try expect(bytes.count > assertion.signedBytes.count, "what is signed stands inside")
      try expect(assertion.keyRegistrationData.info.mode == .userVerified, "registrations have one mode")
    }
    if let assertion = try? AuthenticationAssertion(bytes) {
      try expect(assertion.signedData.nonce.count >= 8, "nonces have eight bytes or more")
      let hasHash = !assertion.signedData.transactionContentHash.isEmpty
      try expect(
        hasHash == (assertion.signedData.info.mode == .transactionConfirmed), "only transactions have a hash")
    }
  }

  /// UAF messages of servers and clients.
  static let uafMessage = FuzzTarget(name: "uaf-message", maximumLength: 4096) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    try await onlyAuthenticatorErrors {
      let request = try UAFRequest(text)
      let version = request.header.upv
      try expect(UAFVersion.supported.contains(version), "only known versions are taken")
      if case .registration(let registration) = request {
        try expect(!registration.policy.accepted.isEmpty, "a policy accepts something")
        _ = PolicyMatcher([]).choices(for: registration.policy)
      }
    }
    try await onlyAuthenticatorErrors {
      let response = try UAFResponse(text)
      try expect(try UAFResponse(response.message) == response, "a response reads back as it was written")
    }
    try await onlyAuthenticatorErrors { _ = try UAFMessage(parsing: text) }
  }
}
