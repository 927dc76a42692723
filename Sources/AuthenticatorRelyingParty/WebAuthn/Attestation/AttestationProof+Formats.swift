import AuthenticatorCBOR

extension AttestationProof {
  /// Verifies a statement by the procedure of its format (WebAuthn Level 3 section 8).
  init(
    format: String, statement: CBORValue, about subject: AttestationSubject, androidKeyRule: AndroidKeyRule
  ) throws(WebAuthnVerificationError) {
    switch format {
    case "none": self = try NoneAttestation.verify(try StatementMembers(statement))
    case "packed": self = try PackedAttestation.verify(try StatementMembers(statement), about: subject)
    case "tpm": self = try TPMAttestation.verify(try StatementMembers(statement), about: subject)
    case "fido-u2f": self = try U2FAttestation.verify(try StatementMembers(statement), about: subject)
    case "apple": self = try AppleAttestation.verify(try StatementMembers(statement), about: subject)
    case "android-key":
      self = try AndroidKeyAttestation.verify(try StatementMembers(statement), about: subject, rule: androidKeyRule)
    case "compound":
      self = try Self.compound(statement, about: subject, androidKeyRule: androidKeyRule)
    default:
      throw WebAuthnVerificationError(.attestationFormatUnsupported, "the format is not known")
    }
  }

  /// Several statements about one credential (section 8.9): each must be right; the first with certificates counts.
  private static func compound(
    _ statement: CBORValue, about subject: AttestationSubject, androidKeyRule: AndroidKeyRule
  ) throws(WebAuthnVerificationError) -> AttestationProof {
    guard case .array(let parts) = statement, (2...8).contains(parts.count) else {
      throw WebAuthnVerificationError(.attestationStatementMalformed, "not a list of statements")
    }
    var best = AttestationProof(.none)
    for part in parts {
      guard case .map(let map) = part, map.count == 2, case .text(let format)? = map["fmt"], format != "compound",
        let statement = map["attStmt"]
      else { throw WebAuthnVerificationError(.attestationStatementMalformed, "a part is not a statement") }
      let proof = try AttestationProof(
        format: format, statement: statement, about: subject, androidKeyRule: androidKeyRule)
      if best.certificates.isEmpty, proof.kind != .none { best = proof }
    }
    return best
  }
}

/// A statement with nothing in it (WebAuthn Level 3 section 8.7).
enum NoneAttestation {
  static func verify(_ members: StatementMembers) throws(WebAuthnVerificationError) -> AttestationProof {
    try members.expect([], optional: [])
    return AttestationProof(.none)
  }
}
