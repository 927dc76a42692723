import AuthenticatorCore
import AuthenticatorUAF

extension FuzzTarget {
  /// UAF messages of servers and clients, and the policies in them against a device of several models.
  static let uafMessage = FuzzTarget(name: "uaf-message", maximumLength: 4096) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    try await onlyAuthenticatorErrors {
      let request = try UAFRequest(text)
      let version = request.header.upv
      try expect(UAFVersion.supported.contains(version), "only known versions are taken")
      switch request {
      case .registration(let registration): try match(registration.policy)
      case .authentication(let authentication): try match(authentication.policy)
      case .deregistration: break
      }
    }
    try await onlyAuthenticatorErrors {
      let response = try UAFResponse(text)
      try expect(try UAFResponse(response.message) == response, "a response reads back as it was written")
    }
    try await onlyAuthenticatorErrors { _ = try UAFMessage(parsing: text) }
  }

  /// Six models as the tool has them, of which four hold a key.
  private static let candidates: [PolicyCandidate] = (1...6).compactMap { number in
    guard let aaid = AAID("FFFF#000\(number)"),
      let keyID = UAFKeyID(bytes: [UInt8](repeating: UInt8(number), count: 32))
    else { return nil }
    let information = UAFAuthenticatorInformation(
      aaid: aaid, authenticationAlgorithm: number < 4 ? .secp256r1ECDSASHA256Raw : .rsaPSSSHA256Raw,
      attestationTypes: [.basicSurrogate],
      userVerification: UserVerificationMethods(rawValue: UInt32(1) << UInt32(number)), keyProtection: .software,
      matcherProtection: .software, attachmentHint: .internal)
    return PolicyCandidate(information: information, keyIDs: number < 5 ? [keyID] : [])
  }

  private static func match(_ policy: UAFPolicy) throws {
    try expect(!policy.accepted.isEmpty, "a policy accepts something")
    try expect(candidates.count == 6, "the models are there")
    let choices = PolicyMatcher(candidates).choices(for: policy)
    try expect(choices.count <= UAFLimits.policyChoices, "choices are bounded")
    for choice in choices {
      let members = choice.members.map(\.candidate)
      try expect(!members.isEmpty && Set(members).count == members.count, "models answer once in a set")
      try expect(members.allSatisfy(candidates.indices.contains), "a choice is of this device")
      let isServed = policy.accepted.contains { set in
        set.count == members.count
          && zip(set, members).allSatisfy { PolicyMatcher.matches($0, candidates[$1]) }
      }
      try expect(isServed, "a choice serves a set that is accepted")
      let isDisallowed = members.contains { member in
        policy.disallowed.contains { PolicyMatcher.matches($0, candidates[member]) }
      }
      try expect(!isDisallowed, "what is disallowed is no choice")
    }
  }
}
