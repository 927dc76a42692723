import CFIDO2
import Foundation

/// The wire between libfido2 and a security key: reports wait here until the other side takes them.
final class ReportWire: @unchecked Sendable {
  // Unchecked because libfido2 reads and writes on threads of its own: everything is guarded by the condition.
  private let condition = NSCondition()
  private var waiting: [[UInt8]] = []
  private var sink: (@Sendable ([UInt8]) -> Void)?

  /// Names what takes the reports that libfido2 writes.
  func connect(_ sink: @escaping @Sendable ([UInt8]) -> Void) { condition.withLock { self.sink = sink } }

  /// Hands libfido2 a report.
  func deliver(_ report: [UInt8]) {
    condition.withLock { waiting.append(report) }
    condition.signal()
  }

  fileprivate func write(_ report: [UInt8]) { condition.withLock { sink }?(report) }

  /// The next report; nil when none comes within the time. A negative time is no limit.
  fileprivate func read(within milliseconds: CInt) -> [UInt8]? {
    let end = Date(timeIntervalSinceNow: Double(max(milliseconds, 0)) / 1000)
    return condition.withLock {
      while waiting.isEmpty {
        if milliseconds < 0 { condition.wait() } else if !condition.wait(until: end) { return nil }
      }
      return waiting.removeFirst()
    }
  }
}

/// What libfido2 answered instead of doing it.
struct FIDOFailure: Error, Equatable, CustomStringConvertible {
  let code: CInt
  var description: String { String(cString: fido_strerr(code)) }

  static let keepaliveCancel = FIDOFailure(code: 0x2D)
  static let noCredentials = FIDOFailure(code: 0x2E)
  static let credentialExcluded = FIDOFailure(code: 0x19)
  static let pinInvalid = FIDOFailure(code: 0x31)
  static let pinRequired = FIDOFailure(code: 0x36)
}

/// A security key as libfido2 sees it. Every call blocks, so each is made on a thread of its own.
final class LibFIDO2: @unchecked Sendable {
  // Unchecked because of the C pointer: libfido2 allows `cancel` beside a running call, and the tests make no others.
  private let device: OpaquePointer
  private let wire: ReportWire

  /// Opens the key at the other end of a wire.
  init(_ wire: ReportWire) throws {
    fido_init(0)
    guard let device = fido_dev_new() else { throw FIDOFailure(code: FIDO_ERR_INTERNAL) }
    self.device = device
    self.wire = wire
    // The callbacks carry nothing but what `open` returns, and that gets nothing but the path.
    var functions = fido_dev_io_t(
      open: { path in
        path.map { UnsafeMutableRawPointer(bitPattern: UInt(String(cString: $0), radix: 16) ?? 0) } ?? nil
      },
      close: { _ in },
      read: { handle, buffer, count, milliseconds in
        guard let handle, let buffer else { return -1 }
        let wire = Unmanaged<ReportWire>.fromOpaque(handle).takeUnretainedValue()
        guard let report = wire.read(within: milliseconds), report.count <= count else { return -1 }
        for (index, byte) in report.enumerated() { buffer[index] = byte }
        return CInt(report.count)
      },
      write: { handle, bytes, count in
        guard let handle, let bytes, count == 65 else { return -1 }
        // The first byte is the number of the report, which is no part of it.
        let report = Array(UnsafeBufferPointer(start: bytes + 1, count: count - 1))
        Unmanaged<ReportWire>.fromOpaque(handle).takeUnretainedValue().write(report)
        return CInt(count)
      })
    try Self.check(fido_dev_set_io_functions(device, &functions))
    let address = UInt(bitPattern: Unmanaged.passUnretained(wire).toOpaque())
    try Self.check(fido_dev_open(device, String(address, radix: 16)))
  }

  deinit {
    fido_dev_close(device)
    var pointer: OpaquePointer? = device
    fido_dev_free(&pointer)
  }

  static func check(_ code: CInt) throws { if code != FIDO_OK { throw FIDOFailure(code: code) } }

  /// Runs something with this key on a thread of its own.
  static func run<Value: Sendable>(
    on wire: ReportWire, _ body: @escaping @Sendable (LibFIDO2) throws -> Value
  ) async throws -> Value {
    try await onThread { try body(LibFIDO2(wire)) }
  }

  // MARK: - What the key tells about itself

  struct Info: Sendable {
    var versions: [String] = []
    var extensions: [String] = []
    var options: [String: Bool] = [:]
    var protocols: [UInt8] = []
    var algorithms: [CInt] = []
    var maximumMessage: UInt64 = 0
    var maximumBlob: UInt64 = 0
    var minimumPIN: UInt64 = 0
  }

  func info() throws -> Info {
    var info = fido_cbor_info_new()
    defer { fido_cbor_info_free(&info) }
    try Self.check(fido_dev_get_cbor_info(device, info))
    func texts(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int) -> [String] {
      (0..<count).compactMap { index in list?[index].map { String(cString: $0) } }
    }
    var result = Info()
    result.versions = texts(fido_cbor_info_versions_ptr(info), fido_cbor_info_versions_len(info))
    result.extensions = texts(fido_cbor_info_extensions_ptr(info), fido_cbor_info_extensions_len(info))
    let count = fido_cbor_info_options_len(info)
    let values = fido_cbor_info_options_value_ptr(info)
    for (index, name) in texts(fido_cbor_info_options_name_ptr(info), count).enumerated() {
      result.options[name] = values?[index]
    }
    result.protocols = Array(
      UnsafeBufferPointer(start: fido_cbor_info_protocols_ptr(info), count: fido_cbor_info_protocols_len(info)))
    result.algorithms = (0..<fido_cbor_info_algorithm_count(info)).map { fido_cbor_info_algorithm_cose(info, $0) }
    result.maximumMessage = fido_cbor_info_maxmsgsiz(info)
    result.maximumBlob = fido_cbor_info_maxcredbloblen(info)
    result.minimumPIN = fido_cbor_info_minpinlen(info)
    return result
  }

  // MARK: - PIN and reset

  func setPIN(_ new: String, replacing old: String? = nil) throws { try Self.check(fido_dev_set_pin(device, new, old)) }

  func retries() throws -> CInt {
    var count: CInt = 0
    try Self.check(fido_dev_get_retry_count(device, &count))
    return count
  }

  func reset() throws { try Self.check(fido_dev_reset(device)) }

  func cancel() throws { try Self.check(fido_dev_cancel(device)) }

  // MARK: - Credentials

  static let hash = [UInt8](repeating: 0x5A, count: 32)

  struct Creation: Sendable {
    var algorithm: CInt = COSE_ES256
    var user = "alice"
    var excluded: [[UInt8]] = []
    var isVerified = true
    var pin: String?
    var protection: CInt = 0
    var blob: [UInt8] = []
    var wantsSecret = false
    var minimumPIN = 0
  }

  struct Credential: Sendable {
    var id: [UInt8]
    var publicKey: [UInt8]
    var algorithm: CInt
    var format: String
    var flags: UInt8
  }

  /// Makes a discoverable credential. libfido2 verifies the statement and that every extension is what was asked for.
  func makeCredential(_ creation: Creation) throws -> Credential {
    var credential = fido_cred_new()
    defer { fido_cred_free(&credential) }
    try Self.check(fido_cred_set_type(credential, creation.algorithm))
    try Self.check(fido_cred_set_clientdata_hash(credential, Self.hash, Self.hash.count))
    try Self.check(fido_cred_set_rp(credential, Passkeys.relyingPartyID, "Example"))
    let user = Array(creation.user.utf8)
    try Self.check(fido_cred_set_user(credential, user, user.count, creation.user, creation.user, nil))
    try Self.check(fido_cred_set_rk(credential, FIDO_OPT_TRUE))
    if creation.isVerified { try Self.check(fido_cred_set_uv(credential, FIDO_OPT_TRUE)) }
    for id in creation.excluded { try Self.check(fido_cred_exclude(credential, id, id.count)) }
    if creation.protection != 0 { try Self.check(fido_cred_set_prot(credential, creation.protection)) }
    if !creation.blob.isEmpty {
      try Self.check(fido_cred_set_blob(credential, creation.blob, creation.blob.count))
    }
    if creation.minimumPIN != 0 { try Self.check(fido_cred_set_pin_minlen(credential, creation.minimumPIN)) }
    let extensions =
      (creation.wantsSecret ? FIDO_EXT_HMAC_SECRET : 0) | (creation.protection != 0 ? FIDO_EXT_CRED_PROTECT : 0)
      | (creation.blob.isEmpty ? 0 : FIDO_EXT_CRED_BLOB) | (creation.minimumPIN != 0 ? FIDO_EXT_MINPINLEN : 0)
    if extensions != 0 { try Self.check(fido_cred_set_extensions(credential, extensions)) }

    try Self.check(fido_dev_make_cred(device, credential, creation.pin))
    let format = String(cString: fido_cred_fmt(credential))
    if format == "packed" {
      let hasChain = fido_cred_x5c_ptr(credential) != nil
      try Self.check(hasChain ? fido_cred_verify(credential) : fido_cred_verify_self(credential))
    }
    return Credential(
      id: Self.bytes(fido_cred_id_ptr(credential), fido_cred_id_len(credential)),
      publicKey: Self.bytes(fido_cred_pubkey_ptr(credential), fido_cred_pubkey_len(credential)),
      algorithm: fido_cred_type(credential), format: format, flags: fido_cred_flags(credential))
  }

  struct Request: Sendable {
    var allowed: [[UInt8]] = []
    var isVerified = true
    var pin: String?
    var salt: [UInt8] = []
    var wantsBlob = false
  }

  struct Assertion: Sendable {
    var id: [UInt8]
    var userHandle: [UInt8]
    var counter: UInt32
    var flags: UInt8
    var secret: [UInt8]
    var blob: [UInt8]
  }

  /// Signs in. libfido2 verifies each assertion with the key of the credential that it names.
  func getAssertions(_ request: Request, _ known: [Credential]) throws -> [Assertion] {
    var assertion = fido_assert_new()
    defer { fido_assert_free(&assertion) }
    try Self.check(fido_assert_set_clientdata_hash(assertion, Self.hash, Self.hash.count))
    try Self.check(fido_assert_set_rp(assertion, Passkeys.relyingPartyID))
    for id in request.allowed { try Self.check(fido_assert_allow_cred(assertion, id, id.count)) }
    if request.isVerified { try Self.check(fido_assert_set_uv(assertion, FIDO_OPT_TRUE)) }
    let extensions = (request.salt.isEmpty ? 0 : FIDO_EXT_HMAC_SECRET) | (request.wantsBlob ? FIDO_EXT_CRED_BLOB : 0)
    if extensions != 0 { try Self.check(fido_assert_set_extensions(assertion, extensions)) }
    if !request.salt.isEmpty {
      try Self.check(fido_assert_set_hmac_salt(assertion, request.salt, request.salt.count))
    }
    try Self.check(fido_dev_get_assert(device, assertion, request.pin))
    return try (0..<fido_assert_count(assertion)).map { index in
      let id = Self.bytes(fido_assert_id_ptr(assertion, index), fido_assert_id_len(assertion, index))
      guard let credential = known.first(where: { $0.id == id }) else { throw FIDOFailure.noCredentials }
      try Self.verify(assertion, index, credential)
      return Assertion(
        id: id,
        userHandle: Self.bytes(
          fido_assert_user_id_ptr(assertion, index), fido_assert_user_id_len(assertion, index)),
        counter: fido_assert_sigcount(assertion, index), flags: fido_assert_flags(assertion, index),
        secret: Self.bytes(
          fido_assert_hmac_secret_ptr(assertion, index), fido_assert_hmac_secret_len(assertion, index)),
        blob: Self.bytes(fido_assert_blob_ptr(assertion, index), fido_assert_blob_len(assertion, index)))
    }
  }

  private static func verify(_ assertion: OpaquePointer?, _ index: Int, _ credential: Credential) throws {
    let key = credential.publicKey
    var pointer: OpaquePointer?
    switch credential.algorithm {
    case COSE_ES256:
      pointer = es256_pk_new()
      defer { es256_pk_free(&pointer) }
      try check(es256_pk_from_ptr(pointer, key, key.count))
      try verify(assertion, index, COSE_ES256, pointer)
    case COSE_ES384:
      pointer = es384_pk_new()
      defer { es384_pk_free(&pointer) }
      try check(es384_pk_from_ptr(pointer, key, key.count))
      try verify(assertion, index, COSE_ES384, pointer)
    case COSE_EDDSA:
      pointer = eddsa_pk_new()
      defer { eddsa_pk_free(&pointer) }
      try check(eddsa_pk_from_ptr(pointer, key, key.count))
      try verify(assertion, index, COSE_EDDSA, pointer)
    case COSE_RS256:
      pointer = rs256_pk_new()
      defer { rs256_pk_free(&pointer) }
      try check(rs256_pk_from_ptr(pointer, key, key.count))
      try verify(assertion, index, COSE_RS256, pointer)
    default: throw FIDOFailure(code: FIDO_ERR_UNSUPPORTED_ALGORITHM)
    }
  }

  private static func verify(
    _ assertion: OpaquePointer?, _ index: Int, _ algorithm: CInt, _ key: OpaquePointer?
  ) throws {
    try check(fido_assert_verify(assertion, index, algorithm, key.map { UnsafeRawPointer($0) }))
  }

  private static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
  }
}
