import AuthenticatorCoding
import AuthenticatorUAF
import Testing

/// Commands to authenticators and their answers, as bytes.
struct CommandTests {
  private let vectors: JSONValue

  init() throws { vectors = try #require(try UAFVectors().vector("pub-commands")["commands"]) }

  private func vector(_ name: String) throws -> JSONValue { try #require(vectors[name]) }

  private func bytes(_ name: String) throws -> [UInt8] {
    let vector = try vector(name)
    return try Hex.decode(vector.stringValue ?? vector.text("tlv"))
  }

  private func register() throws -> UAFCommand.Register {
    let vector = try vector("register")
    return UAFCommand.Register(
      authenticatorIndex: 0, appID: try vector.text("appID"), finalChallengeHash: try vector.hex("finalChallengeHash"),
      username: try vector.text("username"), attestationType: .basicSurrogate,
      accessToken: try vector.hex("khAccessToken"))
  }

  private func sign() throws -> UAFCommand.Sign {
    let vector = try vector("sign")
    let content = Array(try vector.text("transactionContent_utf8").utf8)
    let handles = try #require(vector["keyHandles"]?.arrayValue).map { try Hex.decode(try #require($0.stringValue)) }
    return UAFCommand.Sign(
      authenticatorIndex: 0, appID: try vector.text("appID"), finalChallengeHash: try vector.hex("finalChallengeHash"),
      transaction: .content(content), accessToken: try vector.hex("khAccessToken"), keyHandles: handles)
  }

  private func deregister() throws -> UAFCommand.Deregister {
    let vector = try vector("deregister")
    let keyID: UAFKeyID = try #require(UAFKeyID(try vector.text("keyID")))
    return UAFCommand.Deregister(
      authenticatorIndex: 0, appID: try vector.text("appID"), keyID: keyID, accessToken: try vector.hex("khAccessToken")
    )
  }

  /// Every command and answer of the sample file with what it says.
  private func samples() throws -> (commands: [(String, UAFCommand)], responses: [(String, UAFCommandResponse)]) {
    var all = try deregister()
    all.keyID = nil
    let registered = try vector("registerResponseOK")
    let pairs = try #require(try vector("signResponseChooseUser")["pairs"]?.arrayValue).map { pair in
      UAFCommandResponse.Candidate(
        username: try #require(pair[0]?.stringValue), keyHandle: try Hex.decode(try #require(pair[1]?.stringValue)))
    }
    return (
      [
        ("getInfo", .getInfo), ("register", .register(try register())), ("sign", .sign(try sign())),
        ("deregister", .deregister(try deregister())), ("deregisterAll", .deregister(all)),
      ],
      [
        ("registerResponseDenied", .failed(.register, .accessDenied)),
        (
          "registerResponseOK",
          .registered(assertion: try registered.hex("assertion"), keyHandle: try registered.hex("keyHandle"))
        ),
        ("signResponseChooseUser", .candidates(pairs)), ("signResponseLockout", .failed(.sign, .userLockout)),
        ("deregisterResponseNotSupported", .failed(.deregister, .commandNotSupported)),
      ]
    )
  }

  @Test func readsAndWritesTheSamples() throws {
    let (commands, responses) = try samples()
    for (name, command) in commands {
      #expect(try UAFCommand(bytes(name)) == command, "\(name)")
      #expect(try command.encoded() == bytes(name), "\(name)")
    }
    for (name, response) in responses {
      #expect(try UAFCommandResponse(bytes(name)) == response, "\(name)")
      #expect(try response.encoded() == bytes(name), "\(name)")
    }
  }

  @Test func readsWhatAnAuthenticatorTells() throws {
    let vector = try vector("getInfoResponse")
    let response = try UAFCommandResponse(bytes("getInfoResponse"))
    guard case .information(apiVersion: 1, let found) = response else {
      Issue.record("no information")
      return
    }
    let one = try #require(found.first)
    #expect(found.count == 1 && one.aaid == AAID("FFFF#F001"))
    #expect(Int(one.traits.rawValue) == vector["authenticatorType"]?.intValue)
    #expect(one.traits == [.wantsAppID, .userEnrolled])
    #expect(Int(one.maximumKeyHandles) == vector["maxKeyHandles"]?.intValue)
    #expect(one.userVerification == .passcode && one.keyProtection == .software)
    #expect(one.tcDisplay == [.any, .privilegedSoftware])
    #expect(one.authenticationAlgorithm == .secp256r1ECDSASHA256Raw)
    #expect(one.assertionScheme == "UAFV1TLV" && !one.attestationTypes.isEmpty)
    #expect(try response.encoded() == bytes("getInfoResponse"))
  }

  @Test func everyParameterComesBack() throws {
    var register = try register()
    register.verificationToken = [1, 2]
    register.appID = nil
    var sign = try sign()
    sign.transaction = .hash([UInt8](repeating: 7, count: 32))
    sign.verificationToken = [3]
    sign.keyHandles = []
    for command in [UAFCommand.register(register), .sign(sign)] {
      #expect(try UAFCommand(command.encoded()) == command)
    }
    var information = UAFCommandInformation(
      authenticatorIndex: 3, aaid: try #require(AAID("FFFF#F00A")), traits: [.userEnrolled, .takesTransactionHash],
      maximumKeyHandles: 2, userVerification: [.fingerprint, .all], keyProtection: [.hardware, .secureElement],
      matcherProtection: .software, tcDisplay: [.any, .privilegedSoftware],
      authenticationAlgorithm: .rsaPSSSHA256DER, tcDisplayContentType: "image/png",
      tcDisplayPNGCharacteristics: [[1], [2, 3]], attestationTypes: [.basicFull, .basicSurrogate],
      supportedExtensionIDs: ["fido.uaf.uvm"])
    for response: UAFCommandResponse in [
      .information(apiVersion: 1, [information, information]), .information(apiVersion: 1, []),
      .registered(assertion: [1], keyHandle: nil), .signed(assertion: [1, 2]), .deregistered,
    ] {
      #expect(try UAFCommandResponse(response.encoded()) == response)
    }
    // Hashes alone go only with a display that the ASM draws.
    information.tcDisplay = .any
    #expect(throws: TLVError.malformed(.authenticatorMetadata)) {
      try UAFCommandResponse.information(apiVersion: 1, [information]).encoded()
    }
  }

  @Test func refusesEveryPrefixAndSurvivesEveryFlippedBit() throws {
    let (commands, responses) = try samples()
    for bytes in try commands.map({ try $0.1.encoded() }) {
      for count in bytes.indices { #expect(throws: TLVError.self) { try UAFCommand(Array(bytes.prefix(count))) } }
      #expect(throws: TLVError.trailingBytes(offset: bytes.count)) { try UAFCommand(bytes + [0]) }
      for index in bytes.indices {
        for bit in 0..<8 {
          var bent = bytes
          bent[index] ^= 1 << bit
          // What is read all the same reads back as itself.
          if let read = try? UAFCommand(bent) { #expect(try UAFCommand(read.encoded()) == read) }
        }
      }
    }
    for bytes in try responses.map({ try $0.1.encoded() }) + [try bytes("getInfoResponse")] {
      for count in bytes.indices {
        #expect(throws: TLVError.self) { try UAFCommandResponse(Array(bytes.prefix(count))) }
      }
      for index in bytes.indices {
        var bent = bytes
        bent[index] ^= 0x10
        if let read = try? UAFCommandResponse(bent) { #expect(try UAFCommandResponse(read.encoded()) == read) }
      }
    }
  }

  /// The parameters of a command, each as bytes.
  private func parts(_ name: String) throws -> (head: [UInt8], parts: [[UInt8]]) {
    let bytes = try bytes(name)
    var parts: [[UInt8]] = []
    var offset = 4
    while offset < bytes.count {
      let end = offset + 4 + Int(bytes[offset + 2]) + Int(bytes[offset + 3]) << 8
      parts.append(Array(bytes[offset..<end]))
      offset = end
    }
    return (Array(bytes.prefix(2)), parts)
  }

  private func joined(_ head: [UInt8], _ parts: [[UInt8]]) -> [UInt8] {
    let value = parts.flatMap { $0 }
    return head + [UInt8(value.count & 0xFF), UInt8(value.count >> 8)] + value
  }

  @Test(arguments: ["register", "sign", "deregister"])
  func refusesMissingDoubledAndReorderedParameters(name: String) throws {
    let (head, parts) = try parts(name)
    for index in parts.indices {
      var doubled = parts
      doubled.insert(parts[index], at: index)
      // A Sign command may carry several key handles.
      if name == "sign", index == parts.count - 1 {
        #expect(try UAFCommand(joined(head, doubled)).kind == .sign)
      } else {
        #expect(throws: TLVError.self, "parameter \(index) twice") { try UAFCommand(joined(head, doubled)) }
      }
      var swapped = parts
      swapped.swapAt(index, (index + 1) % parts.count)
      #expect(throws: TLVError.self, "parameter \(index) moved") { try UAFCommand(joined(head, swapped)) }
    }
    var without = parts
    without.remove(at: name == "register" ? 3 : 2)
    let isOptional = name == "sign" ? 3 : -1
    if isOptional < 0 { #expect(throws: TLVError.self) { try UAFCommand(joined(head, without)) } }
  }

  @Test func passesOverWhatNobodyKnowsUnlessItIsCritical() throws {
    let (head, parts) = try parts("deregister")
    #expect(try UAFCommand(joined(head, parts + [[0x34, 0x02, 1, 0, 9]])) == .deregister(try deregister()))
    #expect(throws: TLVError.unknownCriticalTag(UAFTag(rawValue: 0x2834))) {
      try UAFCommand(joined(head, parts + [[0x34, 0x28, 1, 0, 9]]))
    }
    // An assertion is none of these, nor do their tags stand in one.
    #expect(throws: TLVError.self) { try UAFCommand(try UAFVectors().vector("pub-auth-tx").base64URL("assertion")) }
    #expect(throws: TLVError.unknownCriticalTag(.registerCommand)) {
      try RegistrationAssertion(try self.bytes("register"))
    }
  }

  @Test func boundsEveryValue() throws {
    var register = try register()
    register.username = String(repeating: "é", count: 65)
    #expect(throws: TLVError.malformed(.username)) { try UAFCommand.register(register).encoded() }
    register.username = String(repeating: "é", count: 64)
    #expect(throws: Never.self) { try UAFCommand.register(register).encoded() }
    register.accessToken = [UInt8](repeating: 1, count: 33)
    #expect(throws: TLVError.malformed(.keyHandleAccessToken)) { try UAFCommand.register(register).encoded() }
    var sign = try sign()
    sign.appID = String(repeating: "a", count: 513)
    #expect(throws: TLVError.malformed(.appID)) { try UAFCommand.sign(sign).encoded() }
    sign.appID = nil
    sign.transaction = .content([UInt8](repeating: 1, count: 65_536))
    #expect(throws: TLVError.self) { try UAFCommand.sign(sign).encoded() }
    #expect(throws: TLVError.malformed(.statusCode)) { try UAFCommandResponse.failed(.sign, .ok).encoded() }
    #expect(throws: TLVError.tooLarge) { try UAFCommand([UInt8](repeating: 0, count: 70_000)) }
  }

  @Test func anUnknownStatusIsAnUnknownError() throws {
    #expect(
      try UAFCommandResponse([0x03, 0x36, 6, 0, 0x08, 0x28, 2, 0, 0x77, 0x01]) == .failed(.sign, .unknownError))
    // What a failure carries beside its status is refused.
    #expect(throws: TLVError.unexpected(.keyHandle)) {
      try UAFCommandResponse([0x02, 0x36, 11, 0, 0x08, 0x28, 2, 0, 2, 0, 0x01, 0x28, 1, 0, 5])
    }
  }

  @Test func descriptionsTellNothing() throws {
    var register = try register()
    register.username = "alice-in-a-log"
    let texts = [
      "\(UAFCommand.register(register))", String(reflecting: UAFCommand.sign(try sign())),
      "\(UAFCommandResponse.candidates([.init(username: "alice-in-a-log", keyHandle: [99, 98])]))",
    ]
    for text in texts {
      #expect(!text.contains("alice-in-a-log") && !text.contains("99") && !text.contains("186"))
    }
  }
}
