/// What an authenticator answers to a command (FIDO UAF Authenticator Commands), as bytes. Descriptions tell nothing of
/// what it carries.
public enum UAFCommandResponse: Hashable, Sendable {
  /// The command failed. A status that is not known reads as `unknownError`.
  case failed(UAFCommand.Kind, UAFCommandStatus)
  /// What authenticators there are, by the commands of this version.
  case information(apiVersion: UInt8, [UAFCommandInformation])
  /// A key was made. The handle is missing where the authenticator keeps it itself.
  case registered(assertion: [UInt8], keyHandle: [UInt8]?)
  /// A key has signed.
  case signed(assertion: [UInt8])
  /// Several keys could sign, and none has: the person chooses, and one handle is sent again.
  case candidates([Candidate])
  /// Keys were forgotten, or were not there.
  case deregistered

  /// A key to choose.
  public struct Candidate: Hashable, Sendable {
    /// Whose key it is.
    public var username: String
    /// The wrapped key.
    public var keyHandle: [UInt8]

    /// Makes a candidate.
    public init(username: String, keyHandle: [UInt8]) {
      self.username = username
      self.keyHandle = keyHandle
    }
  }

  /// Which command it answers.
  public var kind: UAFCommand.Kind {
    switch self {
    case .failed(let kind, _): kind
    case .information: .getInfo
    case .registered: .register
    case .signed, .candidates: .sign
    case .deregistered: .deregister
    }
  }

  /// How the command ended.
  public var status: UAFCommandStatus {
    if case .failed(_, let status) = self { status } else { .ok }
  }

  /// The bytes that are sent.
  /// - Throws: `TLVError.malformed` for a value that is too long or empty, and for a failure whose status is `ok`.
  public func encoded() throws(TLVError) -> [UInt8] {
    if case .failed(_, .ok) = self { throw .malformed(.statusCode) }
    var writer = TLVWriter()
    try writer.write(kind.responseTag) { (inner) throws(TLVError) in
      try inner.write(.statusCode, uint16: status.rawValue)
      try write(to: &inner)
    }
    return writer.bytes
  }

  private func write(to writer: inout TLVWriter) throws(TLVError) {
    switch self {
    case .failed, .deregistered: break
    case .information(let version, let authenticators):
      try writer.write(.apiVersion, uint8: version)
      for one in authenticators {
        try writer.write(.authenticatorInfo) { (inner) throws(TLVError) in try one.write(to: &inner) }
      }
    case .registered(let assertion, let handle):
      try writer.write(.authenticatorAssertion, assertion, CommandLimits.assertion)
      if let handle { try writer.write(.keyHandle, handle, CommandLimits.keyHandle) }
    case .signed(let assertion): try writer.write(.authenticatorAssertion, assertion, CommandLimits.assertion)
    case .candidates(let candidates):
      guard !candidates.isEmpty else { throw .missing(.usernameAndKeyHandle) }
      for one in candidates {
        try writer.write(.usernameAndKeyHandle) { (inner) throws(TLVError) in
          try inner.write(.username, text: one.username, CommandLimits.username)
          try inner.write(.keyHandle, one.keyHandle, CommandLimits.keyHandle)
        }
      }
    }
  }

  /// Reads an answer, strictly: what its table says, in that order, once; a failure carries its status alone.
  /// - Throws: `TLVError`.
  public init(_ bytes: [UInt8]) throws(TLVError) {
    let element = try TLVElement(command: bytes)
    guard let kind = UAFCommand.Kind.allCases.first(where: { $0.responseTag == element.tag }) else {
      throw .unexpected(element.tag)
    }
    var row = ElementRow(element)
    let status = UAFCommandStatus(rawValue: try row.next(.statusCode).uint16) ?? .unknownError
    if status == .ok {
      self = try Self.success(kind, &row)
    } else {
      self = .failed(kind, status)
    }
    try row.expectEnd()
  }

  private static func success(
    _ kind: UAFCommand.Kind, _ row: inout ElementRow
  ) throws(TLVError) -> UAFCommandResponse {
    switch kind {
    case .getInfo:
      let version = try row.next(.apiVersion).uint8
      var authenticators: [UAFCommandInformation] = []
      for one in row.all(.authenticatorInfo) { authenticators.append(try UAFCommandInformation(one)) }
      return .information(apiVersion: version, authenticators)
    case .register:
      let assertion = try row.next(.authenticatorAssertion).bytes(CommandLimits.assertion)
      return .registered(
        assertion: assertion, keyHandle: try row.optional(.keyHandle)?.bytes(CommandLimits.keyHandle))
    case .sign:
      var candidates: [Candidate] = []
      for pair in row.all(.usernameAndKeyHandle) { candidates.append(try Candidate(pair)) }
      if !candidates.isEmpty { return .candidates(candidates) }
      return .signed(assertion: try row.next(.authenticatorAssertion).bytes(CommandLimits.assertion))
    case .deregister: return .deregistered
    }
  }
}

extension UAFCommandResponse.Candidate {
  fileprivate init(_ element: TLVElement) throws(TLVError) {
    var row = ElementRow(element)
    username = try row.next(.username).text(CommandLimits.username)
    keyHandle = try row.next(.keyHandle).bytes(CommandLimits.keyHandle)
    try row.expectEnd()
  }
}

extension UAFCommand.Kind {
  fileprivate var responseTag: UAFTag {
    switch self {
    case .getInfo: .getInfoResponse
    case .register: .registerResponse
    case .sign: .signResponse
    case .deregister: .deregisterResponse
    }
  }
}

extension UAFCommandResponse: CustomStringConvertible, CustomReflectable {
  public var description: String { "UAFCommandResponse(\(kind), \(status))" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
