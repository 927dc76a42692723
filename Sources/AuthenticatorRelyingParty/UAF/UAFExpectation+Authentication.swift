internal import AuthenticatorCoding
internal import AuthenticatorCrypto

/// What a verified authentication amounts to.
public struct UAFAuthenticationVerdict: Hashable, Sendable {
  /// One key that signed.
  public struct Signer: Hashable, Sendable {
    /// The record to store in place of the old one: its counter rose.
    public let registration: UAFRegistrationRecord
    /// The state of the enrolled set that the assertion reports; nil when it reports none.
    public let reportedState: [UInt8]?
    /// Whether that is another one than at registration.
    public let isEnrollmentChanged: Bool
    /// How the user was verified, where the authenticator reports it.
    public let reportedMethods: [UAFReportedMethod]
    /// The state that takes the stored one's place; nil: that stays. Happens only with `EnrollmentPolicy.accept`.
    public let acceptedState: [UInt8]?
    /// Whether the model is one that is of use only beside another way to sign in: alone it proves nobody.
    public let isSecondFactorOnly: Bool
    /// Whether the counter did not rise; happens only with `SignCounterPolicy.flag`.
    public let isCounterNotIncreased: Bool
  }

  /// The keys that signed, one for each criterion of the accepted set.
  public let signers: [Signer]
  /// Assertions that were skipped.
  public let refused: [UAFRefusedAssertion]
  /// Where the request was answered.
  public let facetID: String
  /// SHA-256 of the content that was confirmed; nil when there was none to confirm.
  public let confirmedHash: [UInt8]?
  /// Whether more than these keys is needed, since a set of enrolled fingers or faces has changed.
  public let needsStepUp: Bool

  /// Whether all that signed is of use only beside another way to sign in. Then nobody is signed in by it alone.
  public var isSecondFactorOnly: Bool { signers.allSatisfy(\.isSecondFactorOnly) }
}

extension UAFExpectation {
  /// Verifies a response to an authentication request (UAF Protocol 1.1 section 3.5.7.5).
  ///
  /// The records of the verdict must be stored in one step that refuses a counter which is not higher than the stored
  /// one: somebody else may have used the key meanwhile.
  /// - Parameter registered: The keys that may answer; those of the user when the user is known.
  ///
  /// Throws `UAFVerificationError`: `keyUnknown` only where none of the keys that answer is one of these. A client
  /// deletes what is not known, so a set of which some keys are there and others are not is `keyNotAdmitted`.
  public func verifyAuthentication(
    _ response: UAFReceivedResponse, registered: [UAFRegistrationRecord]
  ) throws(UAFVerificationError) -> UAFAuthenticationVerdict {
    let final = try check(response, .authentication)
    var verified: [(element: UAFAuthenticationVerdict.Signer, candidate: UAFCandidate)] = []
    var refused: [UAFRefusedAssertion] = []
    var confirmed: [UInt8]?
    for assertion in response.assertions {
      var aaid: String?
      do throws(UAFVerificationError) {
        let read = try UAFAuthenticationAssertion(assertion.bytes)
        aaid = read.facts.aaid
        let model = try check(assertion, read.facts, final, response.header.version)
        let stored = registered.first { $0.aaid == read.facts.aaid && $0.keyID == read.facts.keyID }
        guard let stored else { throw UAFVerificationError(.keyUnknown, "the user has no such key") }
        let isRepeated = verified.contains {
          $0.element.registration.keyID == stored.keyID && $0.candidate.aaid == aaid
        }
        guard !isRepeated else { throw UAFVerificationError(.policyMismatch, "one key answers twice") }
        let candidate = UAFCandidate(
          model, keyIDs: [stored.keyIDText], attestationType: stored.attestationType,
          authenticatorVersion: read.facts.authenticatorVersion)
        let criteria = policy.accepted.joined().filter { $0.matches(candidate) }
        guard policy.admits(candidate), !criteria.isEmpty else {
          throw UAFVerificationError(.policyMismatch, "no criterion admits the key")
        }
        // What is no first factor cannot say who somebody is.
        guard !model.isSecondFactorOnly || criteria.contains(where: { $0.keyIDs != nil }) else {
          throw UAFVerificationError(.policyMismatch, "a second factor answers only to its key's name")
        }
        guard model.tcDisplay != 0 || read.facts.mode != 2 else {
          throw UAFVerificationError(.transactionNotConfirmed, "the model can show no transaction")
        }
        verified.append((try verify(read, stored, model), candidate))
        if !read.transactionContentHash.isEmpty { confirmed = Array(read.transactionContentHash) }
      } catch { refused.append(UAFRefusedAssertion(aaid: aaid, error: error)) }
    }
    let signers: [UAFAuthenticationVerdict.Signer]
    do throws(UAFVerificationError) { signers = try admit(verified, &refused) } catch {
      let isAnyKnown = response.keyNames.contains { name in
        registered.contains { $0.aaid == name.aaid && $0.keyID == name.keyID }
      }
      guard error.code == .keyUnknown, isAnyKnown else { throw error }
      throw UAFVerificationError(.keyNotAdmitted, "a key that has to answer too is not there")
    }
    return UAFAuthenticationVerdict(
      signers: signers, refused: refused, facetID: final.facetID, confirmedHash: confirmed,
      needsStepUp: enrollmentPolicy == .stepUp && signers.contains(where: \.isEnrollmentChanged))
  }

  private func verify(
    _ read: UAFAuthenticationAssertion, _ stored: UAFRegistrationRecord, _ model: UAFModelStatement
  ) throws(UAFVerificationError) -> UAFAuthenticationVerdict.Signer {
    let facts = read.facts
    guard facts.signatureForm == stored.signatureForm else {
      throw UAFVerificationError(.algorithmMismatch, "the algorithm is not the key's")
    }
    guard read.nonce.count >= 8 else { throw UAFVerificationError(.nonceTooShort, "a nonce has 8 bytes at least") }
    try checkTransaction(read)
    let key = try stored.keyForm.key(stored.publicKey, for: stored.signatureForm)
    guard try stored.signatureForm.isValid(read.signature, for: facts.signedBytes, by: key) else {
      throw UAFVerificationError(.signatureInvalid, "the signature is not one by the registered key")
    }
    let hasNoCounter = facts.signCounter == 0 && stored.signCounter == 0
    let hasRisen = hasNoCounter || facts.signCounter > stored.signCounter
    guard hasRisen || signCounterPolicy == .flag else {
      throw UAFVerificationError(.counterNotIncreased, "the counter did not rise")
    }
    let isChanged = stored.userVerificationState != nil && facts.userVerificationState != stored.userVerificationState
    guard !isChanged || enrollmentPolicy != .reject else {
      throw UAFVerificationError(.enrollmentChanged, "the enrolled set is another one than at registration")
    }
    var record = stored
    record.signCounter = max(stored.signCounter, facts.signCounter)
    record.authenticatorVersion = facts.authenticatorVersion
    let accepted = isChanged && enrollmentPolicy == .accept ? facts.userVerificationState : nil
    if let accepted { record.userVerificationState = accepted }
    return UAFAuthenticationVerdict.Signer(
      registration: record, reportedState: facts.userVerificationState, isEnrollmentChanged: isChanged,
      reportedMethods: facts.reportedMethods, acceptedState: accepted, isSecondFactorOnly: model.isSecondFactorOnly,
      isCounterNotIncreased: !hasRisen)
  }

  /// Mode 2 with the hash of one of the forms, where there was something to confirm; mode 1 without one elsewhere.
  private func checkTransaction(_ read: UAFAuthenticationAssertion) throws(UAFVerificationError) {
    guard read.facts.mode == 1 || read.facts.mode == 2 else {
      throw UAFVerificationError(.authenticationModeInvalid, "the authentication mode is none")
    }
    guard (read.facts.mode == 2) == !read.transactionContentHash.isEmpty else {
      throw UAFVerificationError(.authenticationModeInvalid, "the authentication mode and the content contradict")
    }
    let hashes = transactions.map(\.hash) + transactionHashes
    guard !hashes.isEmpty else {
      guard read.facts.mode == 1 else {
        throw UAFVerificationError(.transactionUnexpected, "nobody asked for a confirmation")
      }
      return
    }
    guard read.facts.mode == 2 else {
      throw UAFVerificationError(.transactionNotConfirmed, "the transaction was not shown and confirmed")
    }
    guard hashes.contains(where: { ConstantTime.equals($0, Array(read.transactionContentHash)) }) else {
      throw UAFVerificationError(.transactionMismatch, "another content was confirmed")
    }
  }
}
