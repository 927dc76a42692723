import AuthenticatorCore
import AuthenticatorCrypto
internal import CPAM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One conversation with PAM. Blocks.
struct PAMTransaction {
  /// PAM takes no longer answers (`PAM_MAX_RESP_SIZE`, with the NUL).
  static let maximumBytes = 511

  let service: String
  let directory: String
  let user: String

  /// Whether the passcode is right and the account may be used.
  func check(_ passcode: SecretBytes) throws -> Bool {
    let answers = PAMAnswers(passcode)
    var conversation = pam_conv(
      conv: answerPAM, appdata_ptr: Unmanaged.passUnretained(answers).toOpaque())
    var handle: OpaquePointer?
    let started = pam_start_confdir(service, user, &conversation, directory, &handle)
    guard started == PAM_SUCCESS, let handle else { throw unavailable("start", started) }
    var status = pam_authenticate(handle, CInt(bitPattern: PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK))
    let isRight = status == PAM_SUCCESS
    if isRight { status = pam_acct_mgmt(handle, CInt(bitPattern: PAM_SILENT)) }
    pam_end(handle, status)
    return try withExtendedLifetime(answers) {
      isRight ? try accountVerdict(status) : try verdict(status)
    }
  }

  private func verdict(_ status: CInt) throws -> Bool {
    switch status {
    case PAM_AUTH_ERR, PAM_USER_UNKNOWN, PAM_CRED_INSUFFICIENT, PAM_PERM_DENIED: return false
    case PAM_MAXTRIES: throw AuthenticatorError(.lockedOut, stage: "pam")
    default: throw unavailable("authenticate", status)
    }
  }

  private func accountVerdict(_ status: CInt) throws -> Bool {
    switch status {
    case PAM_SUCCESS: return true
    case PAM_ACCT_EXPIRED, PAM_PERM_DENIED, PAM_AUTH_ERR, PAM_USER_UNKNOWN:
      throw AuthenticatorError(.lockedOut, stage: "pam", reason: "the account may not be used now")
    case PAM_NEW_AUTHTOK_REQD:
      throw AuthenticatorError(.lockedOut, stage: "pam", reason: "the password has expired and must be changed")
    default: throw unavailable("account", status)
    }
  }

  private func unavailable(_ phase: String, _ status: CInt) -> AuthenticatorError {
    AuthenticatorError(.verifierUnavailable, stage: "pam", reason: "PAM answered \(status) at \(phase)")
  }
}

/// What PAM is answered.
private final class PAMAnswers {
  let passcode: SecretBytes
  init(_ passcode: SecretBytes) { self.passcode = passcode }

  /// A copy that PAM frees.
  func copy() -> UnsafeMutablePointer<CChar>? {
    guard let copy = calloc(passcode.count + 1, 1) else { return nil }
    passcode.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { memcpy(copy, base, bytes.count) }
    }
    return copy.assumingMemoryBound(to: CChar.self)
  }
}

/// Answers hidden questions with the passcode; any other question ends the conversation, information is passed over.
private func answerPAM(
  count: CInt, messages: UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
  responses: UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?, context: UnsafeMutableRawPointer?
) -> CInt {
  guard let messages, let responses, let context, count > 0, count <= PAM_MAX_NUM_MSG else { return PAM_CONV_ERR }
  let answers = Unmanaged<PAMAnswers>.fromOpaque(context).takeUnretainedValue()
  let size = Int(count)
  guard let memory = calloc(size, MemoryLayout<pam_response>.stride) else { return PAM_BUF_ERR }
  let replies = memory.bindMemory(to: pam_response.self, capacity: size)
  for index in 0..<size {
    switch messages[index]?.pointee.msg_style {
    case PAM_PROMPT_ECHO_OFF: replies[index].resp = answers.copy()
    case PAM_ERROR_MSG, PAM_TEXT_INFO: continue
    default: break
    }
    guard replies[index].resp != nil else {
      for made in 0..<index {
        guard let text = replies[made].resp else { continue }
        memset(text, 0, strlen(text))
        free(text)
      }
      free(memory)
      return PAM_CONV_ERR
    }
  }
  responses.pointee = replies
  return PAM_SUCCESS
}
