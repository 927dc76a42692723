/// What a CTAP2 message asks for: its first byte (CTAP 2.1 section 6).
public enum CTAP2Command: UInt8, Hashable, Sendable, CaseIterable {
  /// Makes a credential.
  case makeCredential = 0x01
  /// Signs in.
  case getAssertion = 0x02
  /// Tells what the authenticator can do.
  case getInfo = 0x04
  /// Everything about PINs and tokens.
  case clientPIN = 0x06
  /// Deletes every credential and the PIN.
  case reset = 0x07
  /// The next of several assertions.
  case getNextAssertion = 0x08
  /// Asks for a touch, to choose this authenticator.
  case selection = 0x0B

  /// Whether answering may take a touch.
  var waitsForPerson: Bool {
    switch self {
    case .makeCredential, .getAssertion, .reset, .selection: true
    case .getInfo, .clientPIN, .getNextAssertion: false
    }
  }
}
