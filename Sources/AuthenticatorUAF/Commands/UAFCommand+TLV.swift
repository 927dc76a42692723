extension UAFCommand {
  /// The bytes that are sent, parameters in the order of the specification's tables.
  /// - Throws: `TLVError.malformed` for a parameter that is too long or empty.
  public func encoded() throws(TLVError) -> [UInt8] {
    var writer = TLVWriter()
    switch self {
    case .getInfo: try writer.write(.getInfoCommand, [])
    case .register(let parameters):
      try writer.write(.registerCommand) { (inner) throws(TLVError) in try parameters.write(to: &inner) }
    case .sign(let parameters):
      try writer.write(.signCommand) { (inner) throws(TLVError) in try parameters.write(to: &inner) }
    case .deregister(let parameters):
      try writer.write(.deregisterCommand) { (inner) throws(TLVError) in try parameters.write(to: &inner) }
    }
    return writer.bytes
  }

  /// Reads a command, strictly: every parameter of its table, in that order, once.
  /// - Throws: `TLVError`.
  public init(_ bytes: [UInt8]) throws(TLVError) {
    let element = try TLVElement(command: bytes)
    var row = ElementRow(element)
    switch element.tag {
    case .getInfoCommand: self = .getInfo
    case .registerCommand: self = .register(try Register(&row))
    case .signCommand: self = .sign(try Sign(&row))
    case .deregisterCommand: self = .deregister(try Deregister(&row))
    default: throw .unexpected(element.tag)
    }
    try row.expectEnd()
  }
}

extension UAFCommand.Register {
  fileprivate init(_ row: inout ElementRow) throws(TLVError) {
    authenticatorIndex = try row.next(.authenticatorIndex).uint8
    appID = try row.optional(.appID)?.text(CommandLimits.appID)
    finalChallengeHash = try row.next(.finalChallengeHash).bytes(CommandLimits.hash)
    username = try row.next(.username).text(CommandLimits.username)
    attestationType = UAFAttestationType(rawValue: try row.next(.attestationType).uint16)
    accessToken = try row.next(.keyHandleAccessToken).bytes(CommandLimits.accessToken)
    verificationToken = try row.optional(.userVerificationToken)?.bytes(CommandLimits.verificationToken)
  }

  fileprivate func write(to writer: inout TLVWriter) throws(TLVError) {
    try writer.write(.authenticatorIndex, uint8: authenticatorIndex)
    if let appID { try writer.write(.appID, text: appID, CommandLimits.appID) }
    try writer.write(.finalChallengeHash, finalChallengeHash, CommandLimits.hash)
    try writer.write(.username, text: username, CommandLimits.username)
    try writer.write(.attestationType, uint16: attestationType.rawValue)
    try writer.write(.keyHandleAccessToken, accessToken, CommandLimits.accessToken)
    if let verificationToken {
      try writer.write(.userVerificationToken, verificationToken, CommandLimits.verificationToken)
    }
  }
}

extension UAFCommand.Sign {
  fileprivate init(_ row: inout ElementRow) throws(TLVError) {
    authenticatorIndex = try row.next(.authenticatorIndex).uint8
    appID = try row.optional(.appID)?.text(CommandLimits.appID)
    finalChallengeHash = try row.next(.finalChallengeHash).bytes(CommandLimits.hash)
    if let content = row.optional(.transactionContent) {
      transaction = .content(try content.bytes(CommandLimits.transaction))
    } else if let hash = row.optional(.transactionContentHash) {
      transaction = .hash(try hash.bytes(CommandLimits.hash))
    }
    accessToken = try row.next(.keyHandleAccessToken).bytes(CommandLimits.accessToken)
    verificationToken = try row.optional(.userVerificationToken)?.bytes(CommandLimits.verificationToken)
    keyHandles = []
    for element in row.all(.keyHandle) { keyHandles.append(try element.bytes(CommandLimits.keyHandle)) }
  }

  fileprivate func write(to writer: inout TLVWriter) throws(TLVError) {
    try writer.write(.authenticatorIndex, uint8: authenticatorIndex)
    if let appID { try writer.write(.appID, text: appID, CommandLimits.appID) }
    try writer.write(.finalChallengeHash, finalChallengeHash, CommandLimits.hash)
    switch transaction {
    case .content(let bytes): try writer.write(.transactionContent, bytes, CommandLimits.transaction)
    case .hash(let bytes): try writer.write(.transactionContentHash, bytes, CommandLimits.hash)
    case nil: break
    }
    try writer.write(.keyHandleAccessToken, accessToken, CommandLimits.accessToken)
    if let verificationToken {
      try writer.write(.userVerificationToken, verificationToken, CommandLimits.verificationToken)
    }
    for handle in keyHandles { try writer.write(.keyHandle, handle, CommandLimits.keyHandle) }
  }
}

extension UAFCommand.Deregister {
  fileprivate init(_ row: inout ElementRow) throws(TLVError) {
    authenticatorIndex = try row.next(.authenticatorIndex).uint8
    appID = try row.optional(.appID)?.text(CommandLimits.appID)
    let element = try row.next(.keyID)
    keyID = UAFKeyID(bytes: element.value)
    // Empty means all keys; anything else must be a KeyID.
    guard keyID != nil || element.value.isEmpty else { throw .malformed(.keyID) }
    accessToken = try row.next(.keyHandleAccessToken).bytes(CommandLimits.accessToken)
  }

  fileprivate func write(to writer: inout TLVWriter) throws(TLVError) {
    try writer.write(.authenticatorIndex, uint8: authenticatorIndex)
    if let appID { try writer.write(.appID, text: appID, CommandLimits.appID) }
    try writer.write(.keyID, keyID?.bytes ?? [])
    try writer.write(.keyHandleAccessToken, accessToken, CommandLimits.accessToken)
  }
}
