/// What a CTAP2 message asks for: its first byte (CTAP 2.1 section 6).
public enum CTAP2Command: UInt8, Hashable, Sendable, CaseIterable {
  case makeCredential = 0x01
  case getAssertion = 0x02
  case getInfo = 0x04
  case clientPIN = 0x06
  case reset = 0x07
  case getNextAssertion = 0x08
  case selection = 0x0B
}
