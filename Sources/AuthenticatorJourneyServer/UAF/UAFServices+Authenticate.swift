internal import AuthenticatorRelyingParty

extension UAFServices {
  /// Verifies an authentication and stores the counters. A response to a user who has no key, or whom there is not, is
  /// verified all the same, with the keys that the request named: what a stranger is answered does not depend on it.
  ///
  /// Throws `UAFVerificationError`: `keyUnknown`, upon which clients delete keys, only where nobody has any of the keys
  /// that the response names.
  func authenticate(
    _ response: UAFReceivedResponse, _ pending: UAFPendingRequest, in realm: Realm, _ party: UAFRelyingParty
  ) async throws -> (user: UserRecord, verdict: UAFAuthenticationVerdict) {
    do {
      guard let subject = pending.subject else { return try await identify(response, pending, in: realm, party) }
      return try await authenticate(subject, response, pending, in: realm, party)
    } catch let error as UAFVerificationError where error.code == .keyUnknown {
      // In another realm, too: all of them answer for one app.
      for realm in realms {
        let isNobodys = try await keys(namedIn: response, in: realm).isEmpty
        guard isNobodys, !response.keyNames.contains(where: { pseudonyms.isNobodys($0, in: realm) }) else {
          throw UAFVerificationError(.keyNotAdmitted, "the user has no such key, and somebody has it")
        }
      }
      throw error
    }
  }

  /// The user of this name.
  private func authenticate(
    _ subject: String, _ response: UAFReceivedResponse, _ pending: UAFPendingRequest, in realm: Realm,
    _ party: UAFRelyingParty
  ) async throws -> (user: UserRecord, verdict: UAFAuthenticationVerdict) {
    guard let name = Self.name(subject) else { throw UAFVerificationError(.keyUnknown, "the name is none") }
    let owned = try await owned(byUserNamed: name, in: realm)
    if let owned, let expectation = try? party.expectation(pending, registered: owned.keys.map(\.registration)) {
      return (owned.user, try await verify(response, owned, expectation))
    }
    let nobodys = pseudonyms.keys(of: name, in: realm, policy: party.policy)
    _ = try party.expectation(pending, registered: nobodys).verifyAuthentication(response, registered: nobodys)
    throw Self.nobodysSignature
  }

  /// Whoever has the keys that the response names.
  private func identify(
    _ response: UAFReceivedResponse, _ pending: UAFPendingRequest, in realm: Realm, _ party: UAFRelyingParty
  ) async throws -> (user: UserRecord, verdict: UAFAuthenticationVerdict) {
    let keys = try await keys(namedIn: response, in: realm)
    let nobodys = pseudonyms.keys(response.keyNames, in: realm, policy: party.policy)
    let registered = keys.map(\.registration) + nobodys
    guard !registered.isEmpty else { throw UAFVerificationError(.keyUnknown, "there is no such key") }
    let expectation = try party.expectation(pending, registered: registered)
    guard let owner = keys.first?.userID else {
      _ = try expectation.verifyAuthentication(response, registered: registered)
      throw Self.nobodysSignature
    }
    // Beside somebody's key one of nobody counts as another user's.
    guard nobodys.isEmpty, keys.allSatisfy({ $0.userID == owner }),
      let user = try await registry.user(id: owner, in: realm), user.isActive
    else {
      _ = try expectation.verifyAuthentication(response, registered: registered)
      throw UAFVerificationError(.keyNotAdmitted, "the keys are not those of one user who may sign in")
    }
    return (user, try await verify(response, (user, keys), expectation))
  }

  /// Nobody can sign with a key of nobody; should it verify something all the same, it is refused.
  private static let nobodysSignature = UAFVerificationError(.signatureInvalid, "the key is nobody's")

  private func verify(
    _ response: UAFReceivedResponse, _ owned: Owned, _ expectation: UAFExpectation
  ) async throws -> UAFAuthenticationVerdict {
    let verdict = try expectation.verifyAuthentication(response, registered: owned.keys.map(\.registration))
    let uses = verdict.signers.map { UAFKeyUse($0, of: owned.user, at: now) }
    guard try await registry.advanceUAFKeys(uses) else {
      throw UAFVerificationError(.counterNotIncreased, "the key was used or removed meanwhile")
    }
    return verdict
  }

  /// The keys that a response names, as far as somebody has them.
  private func keys(namedIn response: UAFReceivedResponse, in realm: Realm) async throws -> [UAFKeyRecord] {
    var keys: [UAFKeyRecord] = []
    for name in response.keyNames {
      if let key = try await registry.uafKey(name, realm: realm) { keys.append(key) }
    }
    return keys
  }
}
