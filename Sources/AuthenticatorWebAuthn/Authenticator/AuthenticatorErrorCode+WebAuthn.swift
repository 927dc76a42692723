public import AuthenticatorCore

extension AuthenticatorError.Code {
  /// The authenticator cannot do what the relying party requires of it: verify the person, or keep a discoverable
  /// credential. In WebAuthn's words a ConstraintError.
  public static let constraintNotMet = AuthenticatorError.Code(rawValue: "constraintNotMet")
}
