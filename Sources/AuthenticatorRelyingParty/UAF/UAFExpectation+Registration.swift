internal import AuthenticatorCoding
internal import AuthenticatorCrypto

/// What a verified registration amounts to.
public struct UAFRegistrationVerdict: Hashable, Sendable {
  /// The keys to store, one for each criterion of the accepted set. That no name is taken only the registry can decide.
  public let registrations: [UAFRegistrationRecord]
  /// Assertions that were skipped.
  public let refused: [UAFRefusedAssertion]
  /// How the user was verified for each of them, in the same order; empty where the authenticator reports nothing.
  public let reportedMethods: [[UAFReportedMethod]]
  /// Where the request was answered.
  public let facetID: String
}

extension UAFExpectation {
  /// Verifies a response to a registration request (UAF Protocol 1.1 section 3.4.6.5).
  ///
  /// An assertion that fails is skipped; the response stands when the others serve an accepted set.
  /// - Parameters:
  ///   - registered: Keys that are stored already; a registry that checks uniqueness while storing can leave them out.
  ///     The registration counters of the user's own say how far the authenticator had come.
  ///   - time: The time at which certificates must be valid, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// Throws `UAFVerificationError`.
  public func verifyRegistration(
    _ response: UAFReceivedResponse, registered: [UAFRegistrationRecord] = [], at time: Int64
  ) throws(UAFVerificationError) -> UAFRegistrationVerdict {
    let final = try check(response, .registration)
    typealias Made = (record: UAFRegistrationRecord, methods: [UAFReportedMethod])
    var verified: [(element: Made, candidate: UAFCandidate)] = []
    var refused: [UAFRefusedAssertion] = []
    for assertion in response.assertions {
      var aaid: String?
      do throws(UAFVerificationError) {
        let read = try UAFRegistrationAssertion(assertion.bytes)
        aaid = read.facts.aaid
        let model = try check(assertion, read.facts, final, response.header.version)
        let counters = registered.filter { $0.aaid == model.aaid }.map(\.registrationCounter)
        try check(read.registrationCounter, after: counters.max() ?? 0)
        let (record, candidate) = try verify(read, model, at: time)
        let isKnown = (registered + verified.map(\.element.record)).contains {
          $0.aaid == record.aaid && $0.keyID == record.keyID
        }
        guard !isKnown else { throw UAFVerificationError(.alreadyRegistered, "the key is registered already") }
        verified.append(((record, read.facts.reportedMethods), candidate))
      } catch { refused.append(UAFRefusedAssertion(aaid: aaid, error: error)) }
    }
    let accepted = try admit(verified, &refused)
    return UAFRegistrationVerdict(
      registrations: accepted.map(\.record), refused: refused, reportedMethods: accepted.map(\.methods),
      facetID: final.facetID)
  }

  /// That the counter is not further on than an authenticator can have come since the last one that is known.
  private func check(_ counter: UInt32, after known: UInt32) throws(UAFVerificationError) {
    guard counter <= known || counter - known <= maximumRegistrationCounter else {
      throw UAFVerificationError(.counterImplausible, "no authenticator makes so many registrations")
    }
  }

  private func verify(
    _ read: UAFRegistrationAssertion, _ model: UAFModelStatement, at time: Int64
  ) throws(UAFVerificationError) -> (UAFRegistrationRecord, UAFCandidate) {
    let facts = read.facts
    let candidate = UAFCandidate(
      model, keyIDs: [Base64URL.encode(facts.keyID)], attestationType: read.attestationType,
      authenticatorVersion: facts.authenticatorVersion)
    try checkPolicy(candidate, model)
    guard facts.mode == 1 else {
      throw UAFVerificationError(.authenticationModeInvalid, "a registration confirms no transaction")
    }
    guard read.keyForm == model.keyForm else {
      throw UAFVerificationError(.publicKeyFormMismatch, "the key's form is not the model's")
    }
    let key = try read.keyForm.key(read.publicKey, for: model.signatureForm)
    try checkAttestation(read, model, key, at: time)
    let record = UAFRegistrationRecord(
      aaid: facts.aaid, keyID: facts.keyID, publicKey: read.publicKey, keyForm: read.keyForm,
      signatureForm: model.signatureForm, signCounter: facts.signCounter,
      registrationCounter: read.registrationCounter, authenticatorVersion: facts.authenticatorVersion,
      userVerificationState: facts.userVerificationState, attestationType: read.attestationType)
    return (record, candidate)
  }

  /// That some criterion admits the authenticator, and that it attests as the first of them prefers.
  private func checkPolicy(_ candidate: UAFCandidate, _ model: UAFModelStatement) throws(UAFVerificationError) {
    guard candidate.attestationTypes.allSatisfy(model.attestationTypes.contains) else {
      throw UAFVerificationError(.attestationTypeNotAllowed, "the model does not attest in this way")
    }
    guard policy.admits(candidate) else { throw UAFVerificationError(.policyMismatch, "the model is ruled out") }
    var anyType = candidate
    anyType.attestationTypes = model.attestationTypes
    let criteria = policy.accepted.joined().filter { $0.matches(anyType) }
    guard !criteria.isEmpty else { throw UAFVerificationError(.policyMismatch, "no criterion admits the model") }
    let isPreferred = criteria.contains { criterion in
      guard let types = criterion.attestationTypes else { return true }
      return types.first { model.attestationTypes.contains($0) } == candidate.attestationTypes.first
    }
    guard isPreferred else {
      throw UAFVerificationError(.attestationTypeNotAllowed, "another attestation is preferred")
    }
  }

  private func checkAttestation(
    _ read: UAFRegistrationAssertion, _ model: UAFModelStatement, _ key: PublicKey, at time: Int64
  ) throws(UAFVerificationError) {
    guard read.attestationType == UAFTag.basicFull else {
      guard model.attestationRoots.isEmpty else {
        throw UAFVerificationError(.surrogateNotAllowed, "the model has attestation roots")
      }
      guard read.facts.signatureForm == model.signatureForm else {
        throw UAFVerificationError(.algorithmMismatch, "the algorithm is not the model's")
      }
      guard try read.facts.signatureForm.isValid(read.signature, for: read.facts.signedBytes, by: key) else {
        throw UAFVerificationError(.attestationSignatureInvalid, "the signature is not one by the new key")
      }
      return
    }
    guard let anchors = models.anchors(of: model.aaid) else {
      throw UAFVerificationError(.attestationRootsMissing, "the model has no attestation roots")
    }
    let chain = try Self.chain(read.certificates)
    try Self.checkModel(chain[0], model)
    do throws(CryptoError) { try anchors.verify(chain, at: time) } catch {
      switch error.code {
      case .certificateExpired, .certificateNotYetValid:
        throw UAFVerificationError(.attestationCertificateExpired, "a certificate is outside its validity")
      default: throw UAFVerificationError(.attestationUntrusted, "no path leads to a root of the model")
      }
    }
    guard let attestationKey = try? chain[0].publicKey() else {
      throw UAFVerificationError(.attestationCertificateInvalid, "the certificate's key cannot be read")
    }
    guard let algorithm = read.facts.signatureForm.algorithm else {
      throw UAFVerificationError(.algorithmUnsupported, "the attestation's algorithm is not computed here")
    }
    guard attestationKey.supports(algorithm) else {
      throw UAFVerificationError(.algorithmMismatch, "the attestation's algorithm does not go with its key")
    }
    guard
      try read.facts.signatureForm.isValid(read.signature, for: read.facts.signedBytes, by: attestationKey)
    else {
      throw UAFVerificationError(.attestationSignatureInvalid, "the signature is not one by the attestation key")
    }
  }

  /// The certificates; each must be issued in the name of the next one.
  private static func chain(_ list: [ArraySlice<UInt8>]) throws(UAFVerificationError) -> [X509Certificate] {
    guard (1...TrustAnchors.maximumPathLength).contains(list.count) else {
      throw UAFVerificationError(.attestationCertificateInvalid, "there are too many certificates")
    }
    var chain: [X509Certificate] = []
    for bytes in list {
      guard let certificate = try? X509Certificate(derRepresentation: Array(bytes)) else {
        throw UAFVerificationError(.attestationCertificateInvalid, "a certificate cannot be read")
      }
      if let last = chain.last, last.issuer.encoded != certificate.subject.encoded {
        throw UAFVerificationError(.attestationCertificateInvalid, "the certificates are out of order")
      }
      chain.append(certificate)
    }
    return chain
  }

  /// The model that a certificate is bound to must be the assertion's.
  private static func checkModel(
    _ certificate: X509Certificate, _ model: UAFModelStatement
  ) throws(UAFVerificationError) {
    let name: String?
    do throws(CryptoError) { name = try certificate.fidoAAID() } catch {
      throw UAFVerificationError(.attestationCertificateInvalid, "the certificate's model is malformed")
    }
    guard name.map({ UAFModelStatement.normalizedAAID($0) == model.aaid }) ?? true else {
      throw UAFVerificationError(.attestationModelMismatch, "the certificate is for another model")
    }
  }
}
