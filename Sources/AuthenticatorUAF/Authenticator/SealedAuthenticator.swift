import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import DeviceAuthenticators

/// Verifies the person, makes and uses keys, builds and signs assertions (FIDO UAF Authenticator Commands). Nothing of
/// it is open: apps bring verification and storage.
final class SealedAuthenticator: Sendable {
  let model: UAFAuthenticatorModel
  let devices: UAFDeviceAuthenticators
  let context: AuthenticatorContext
  /// What it tells of itself, with and without pictures, as far as that is the same at all times.
  private let standing: (withImages: UAFAuthenticatorInformation, withoutImages: UAFAuthenticatorInformation)
  /// What a new key would be made by, as far as its protection depends on it.
  private let prospect: (request: KeyRequest, access: KeyAccess)?

  init(model: UAFAuthenticatorModel, devices: UAFDeviceAuthenticators, context: AuthenticatorContext) {
    self.model = model
    self.devices = devices
    self.context = context
    standing = (model.information(displaysImages: true), model.information(displaysImages: false))
    prospect = model.authenticationAlgorithm.signatureAlgorithm.map { algorithm in
      let owner = KeyOwner(instance: context.instance, family: .uaf, party: "", account: nil)
      let request = KeyRequest(
        owner: owner, algorithms: [algorithm], counter: .rising, requiresHardware: model.requiresHardware)
      return (request, KeyAccess(gate: .open, requiresHardware: devices.needHardware(for: model.behavior)))
    }
  }

  /// The registered extension that is known here.
  static let extensionIDs = [UAFExtension.userVerificationMethodID]

  /// What every command brings, beside the token that binds its key.
  final class Command: Sendable {
    let appID: String
    let finalChallengeHash: [UInt8]
    let operation: OperationID
    let prompt: Prompt
    let deadline: Duration
    /// Whether the methods of verification are reported in the signed part.
    let reportsMethods: Bool
    /// What names the set that a new key is of; empty: it is made alone.
    let set: [UInt8]

    init(
      appID: String, finalChallengeHash: [UInt8], operation: OperationID, prompt: Prompt, deadline: Duration,
      reportsMethods: Bool, set: [UInt8] = []
    ) {
      self.appID = appID
      self.finalChallengeHash = finalChallengeHash
      self.operation = operation
      self.prompt = prompt
      self.deadline = deadline
      self.reportsMethods = reportsMethods
      self.set = set
    }
  }

  // MARK: Information

  /// What it tells of itself; nil: it cannot be used on this device now.
  func information(displaysImages: Bool) async -> UAFAuthenticatorInformation? {
    guard let prospect, let device = try? await devices.make(model.behavior, context) else { return nil }
    let isUserEnrolled: Bool
    var isLockedOut = false
    switch await device.availability() {
    case .available: isUserEnrolled = true
    case .unavailable(.lockedOut):
      isUserEnrolled = true
      isLockedOut = true
    case .unavailable(.biometryNotEnrolled): isUserEnrolled = false
    case .unavailable, .unknown: return nil
    }
    // What is effectively true of a new key; without any, none could be made.
    let protection = await context.keyStore.prospectiveProtection(for: prospect.request, access: prospect.access)
    guard let protection = protection.flatMap(model.keyProtection) else { return nil }
    var information = displaysImages ? standing.withImages : standing.withoutImages
    information.keyProtection = protection
    information.isUserEnrolled = isUserEnrolled
    information.isLockedOut = isLockedOut
    return information
  }

  // MARK: Register

  /// Makes a staged key and the assertion about it; nothing is left when it throws.
  func register(
    _ command: Command, username: String, attestationType: UAFAttestationType, accessToken: [UInt8]
  ) async throws -> (assertion: [UInt8], key: RegisteredKey) {
    guard model.possibleAttestations.contains(attestationType),
      let algorithm = model.authenticationAlgorithm.signatureAlgorithm
    else { throw AuthenticatorError(.unsupported, stage: "uaf.register", reason: "no such attestation") }
    let device = try await devices.make(model.behavior, context)
    let account = model.isSecondFactorOnly ? nil : Array(username.utf8)
    let owner = KeyOwner(instance: context.instance, family: .uaf, party: command.appID, account: account)
    let ticket = try await device.verify(
      VerificationRequest(
        operation: command.operation, level: model.behavior.level, owner: owner, prompt: command.prompt,
        deadline: command.deadline, isRegistration: true))
    guard let keyID = UAFKeyID(bytes: try context.environment.random(32)) else {
      throw AuthenticatorError(.keyGenerationFailed, stage: "uaf.register", reason: "the random source gave too little")
    }
    let handle = KeyHandle(
      aaid: model.aaid, accessToken: accessToken, keyID: keyID, algorithm: model.authenticationAlgorithm,
      username: model.isSecondFactorOnly ? "" : username)
    let left = command.deadline - context.environment.uptime()
    let now = context.environment.now()
    var request = KeyRequest(
      owner: owner, algorithms: [algorithm], slot: Self.slot(model.aaid, accessToken, username: username),
      externalID: keyID.bytes,
      attributes: handle.encoded, counter: .rising, requiresHardware: model.requiresHardware,
      journal: RegistrationJournal(end: now.advanced(by: left + .seconds(60)), set: command.set).encoded)
    // By the journal's clock, with which it is compared.
    request.createdAt = now
    let staged = try await device.register(
      AuthenticatorCore.RegistrationRequest(
        key: request, operation: command.operation, prompt: command.prompt, deadline: command.deadline, ticket: ticket))
    do {
      let key = try await device.authenticate(
        SigningRequest(
          record: staged.record, operation: command.operation, level: model.behavior.level, prompt: command.prompt,
          deadline: command.deadline, ticket: staged.ticket ?? ticket))
      let evidence = key.verification ?? ticket.verification
      let data = KeyRegistrationData(
        aaid: model.aaid,
        info: AssertionInfo(
          authenticatorVersion: model.authenticatorVersion, mode: .userVerified,
          signatureAlgorithm: attestationType == .basicFull
            ? model.attestationKey?.algorithm ?? model.authenticationAlgorithm : model.authenticationAlgorithm,
          publicKeyFormat: model.publicKeyFormat),
        finalChallengeHash: command.finalChallengeHash, keyID: keyID, signCounter: 0,
        registrationCounter: try await nextRegistration(),
        publicKey: try model.publicKeyFormat.encode(staged.record.publicKey),
        userVerificationState: try await userVerificationState(keyID, evidence),
        extensions: command.reportsMethods ? [methodsExtension(evidence, staged.record)] : [])
      let signed = try data.encoded()
      let attestation: RegistrationAssertion.Attestation
      if attestationType == .basicFull, let vendor = model.attestationKey {
        attestation = .basicFull(
          signature: try vendor.algorithm.encode(try vendor.key.sign(signed)), chain: vendor.chain)
      } else {
        attestation = .basicSurrogate(
          signature: try model.authenticationAlgorithm.encode(try await key.sign(signed)))
      }
      let assertion = try RegistrationAssertion.encode(signed, attestation)
      return (assertion, RegisteredKey(record: staged.record, handle: handle))
    } catch {
      // A key that cannot be discarded now is unanswered and goes at the next start; what failed first is what counts.
      do { try await staged.discard() } catch {}
      throw AuthenticatorError.wrapping(error, as: .keyGenerationFailed, stage: "uaf.register")
    }
  }

  /// A user's newer key of the same model takes the place of the older one, for the same application and caller. That
  /// is true of second factors as well: their keys hold no name, and of the slot none can be told without the token.
  static func slot(_ aaid: AAID, _ accessToken: [UInt8], username: String) -> String {
    var hash = SHA256()
    hash.update(accessToken)
    hash.update(Array(aaid.rawValue.uppercased().utf8))
    hash.update(Array(username.utf8))
    return "uaf-" + Base64URL.encode(hash.finalized())
  }

  private func nextRegistration() async throws -> UInt32 {
    try await context.keyStore.advance(
      .named(instance: context.instance, name: "uaf.registrations." + model.aaid.rawValue.uppercased()))
  }

  // MARK: Sign

  /// The type of its keys; nil: that cannot be told. What an app puts in place of the package's classes says so itself.
  func keyType() async -> AuthenticatorType? {
    let type = model.behavior.authenticator
    guard devices.custom.hasFactory(for: type) else { return type }
    return (try? await devices.make(model.behavior, context))?.type()
  }

  /// Whether a key opens and signs as the model says now: what it was made with is fixed, and a model may be configured
  /// otherwise afterwards.
  /// - Parameter type: `keyType()`.
  func fits(_ key: RegisteredKey, _ type: AuthenticatorType?) -> Bool {
    let record = key.record
    // The same signature in another form is another algorithm to the server.
    guard record.algorithm == model.authenticationAlgorithm.signatureAlgorithm,
      key.handle.algorithm == nil || key.handle.algorithm == model.authenticationAlgorithm,
      type == nil || record.authenticator == type
    else { return false }
    // A model that claims hardware has no key without.
    guard model.keyProtection == nil || model.keyProtection(of: record.protection) != nil else { return false }
    // The package's biometric classes take what a changed enrolled set does to keys from the behavior; others have
    // rules of their own.
    let isBiometric = type == .biometricOnly || type == .biometricAllowFallback
    guard isBiometric, !devices.custom.hasFactory(for: model.behavior.authenticator) else { return true }
    return record.access.enrollment == model.behavior.enrollment
  }

  /// Signs with one key; the transaction was shown and approved before.
  func sign(
    _ command: Command, with registered: RegisteredKey, accessToken: [UInt8], ticket: VerificationTicket?,
    transaction: [UInt8]?
  ) async throws -> [UInt8] {
    guard ConstantTime.equals(registered.handle.accessToken, accessToken) else {
      throw AuthenticatorError(.keyAccessDenied, stage: "uaf.sign")
    }
    if transaction != nil, model.behavior.level == .none || model.tcDisplay.isEmpty {
      throw AuthenticatorError(
        .keyAccessDenied, stage: "uaf.sign", reason: "this authenticator confirms no transactions")
    }
    let device = try await devices.make(model.behavior, context)
    let key = try await asking(command.prompt) { prompt in
      var ticket = ticket
      if ticket == nil, registered.record.state == .staged, model.behavior.level > .none {
        // Its server may not have confirmed it yet, but this is a sign-in and no registration: the prompt is too.
        ticket = try await device.verify(
          VerificationRequest(
            operation: command.operation, level: model.behavior.level, owner: registered.record.owner, prompt: prompt,
            deadline: command.deadline, keys: [registered.record.tag]))
      }
      return try await device.authenticate(
        SigningRequest(
          record: registered.record, operation: command.operation, level: model.behavior.level, prompt: prompt,
          deadline: command.deadline, ticket: ticket))
    }
    let state = try await userVerificationState(registered.handle.keyID, key.verification)
    let nonce = try context.environment.random(16)
    guard nonce.count >= 8 else { throw AuthenticatorError(.unsupported, stage: "uaf.sign", reason: "no randomness") }
    let data = AuthenticationSignedData(
      aaid: model.aaid,
      info: AssertionInfo(
        authenticatorVersion: model.authenticatorVersion,
        mode: transaction == nil ? .userVerified : .transactionConfirmed,
        signatureAlgorithm: model.authenticationAlgorithm, publicKeyFormat: nil),
      nonce: nonce, finalChallengeHash: command.finalChallengeHash,
      transactionContentHash: transaction.map { SHA256.hash($0) } ?? [], keyID: registered.handle.keyID,
      // Durable, or inside a durable reservation, before the signature is made.
      signCounter: try await key.nextCounter(), userVerificationState: state,
      extensions: command.reportsMethods ? [methodsExtension(key.verification, registered.record)] : [])
    let signed = try data.encoded()
    let signature = try model.authenticationAlgorithm.encode(try await key.sign(signed))
    return try AuthenticationAssertion.encode(signed, signature: signature)
  }

  /// One verification for several keys of which the person chooses one afterwards.
  func verify(_ command: Command, for keys: [RegisteredKey]) async throws -> VerificationTicket? {
    guard let first = keys.first else { return nil }
    let device = try await devices.make(model.behavior, context)
    return try await asking(command.prompt) { prompt in
      try await device.verify(
        VerificationRequest(
          operation: command.operation, level: model.behavior.level, owner: first.record.owner, prompt: prompt,
          deadline: command.deadline, keys: Set(keys.map(\.record.tag))))
    }
  }

  /// With a fallback button, a canceled or unmatched scan leads to one more prompt that offers it: who meant to use it
  /// is not sent away by a scan that did not work.
  private func asking<Value>(_ prompt: Prompt, _ ask: (Prompt) async throws -> Value) async throws -> Value {
    do {
      return try await ask(prompt)
    } catch let error as AuthenticatorError
      where prompt.fallbackTitle != nil && model.behavior.authenticator == .biometricOnly
      && [.userCanceled, .userVerificationFailed].contains(error.code)
    {
      guard await context.verifier.methods().contains(where: { $0.key.isBiometric && $0.value == .ready }) else {
        throw error
      }
      return try await ask(prompt)
    }
  }

  // MARK: What was verified

  /// The enrolled set in a form of this key's own, for models that report it: SHA-256 of KeyID and the set's digest.
  private func userVerificationState(_ keyID: UAFKeyID, _ evidence: UserVerification?) async throws -> [UInt8]? {
    guard model.behavior.reportsUserVerificationState else { return nil }
    var state = evidence?.enrollmentState
    if state == nil { state = try await context.verifier.enrollmentState() }
    return state.map { SHA256.hash(keyID.bytes + SHA256.hash($0.digest)) }
  }

  /// The registered extension `fido.uaf.uvm`: method, key protection and matcher protection of this operation.
  private func methodsExtension(_ evidence: UserVerification?, _ record: KeyRecord) -> AssertionExtension {
    var methods: UserVerificationMethods = []
    for method in evidence?.methods ?? [] {
      switch method {
      case .fingerprint: methods.insert(.fingerprint)
      case .face: methods.insert(.faceprint)
      case .passcode, .applicationPIN: methods.insert(.passcode)
      case .presence: methods.insert(.presence)
      default: break
      }
    }
    if methods.isEmpty { methods = .none }
    var writer = ByteWriter(capacity: 8)
    writer.write(methods.rawValue, order: .littleEndian)
    writer.write((model.keyProtection(of: record.protection) ?? .software).rawValue, order: .littleEndian)
    writer.write(model.matcherProtection.rawValue, order: .littleEndian)
    return AssertionExtension(id: UAFExtension.userVerificationMethodID, data: writer.bytes)
  }
}
