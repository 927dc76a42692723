internal import AuthenticatorCoding

/// The answer of a client to a trusted-device page: the text of the hidden value.
enum TrustedDeviceOutcome: Sendable {
  /// The members of an answer, as texts.
  case answer([String: String])
  /// The client reports why it gave none.
  case error(String)
  /// The field came back as it was: the client knows nothing of trusted devices.
  case untouched
  /// None of these.
  case malformed

  /// The field's id.
  static let fieldID = "trustedDeviceOutcome"
  /// The longest answer, in bytes.
  static let maximumBytes = 8192

  init(_ text: String?) {
    guard let text, !text.isEmpty, text != Self.fieldID else {
      self = .untouched
      return
    }
    let limits = JSONLimits(bytes: Self.maximumBytes, depth: 2, textBytes: Self.maximumBytes, values: 32)
    guard let object = (try? JSONValue.parse(text, limits: limits))?.objectValue else {
      self = .malformed
      return
    }
    if let error = object["error"] {
      self = error.stringValue.flatMap { Self.isCode($0) ? .error($0) : nil } ?? .malformed
      return
    }
    var members: [String: String] = [:]
    for member in object { members[member.name] = member.value.stringValue }
    self = .answer(members)
  }

  private static func isCode(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
  }

  /// The words of a device that cannot do it at all.
  private static let unsupported: Set<String> = [
    "unsupported_platform", "biometric_authentication_unavailable", "passcode_not_set",
    "secure_key_storage_unavailable", "unsupported_algorithm", "policy_unsupported",
  ]
  /// The words of a device that has no key for it.
  static let noKey: Set<String> = ["no_local_credential", "key_not_found", "key_invalidated"]

  /// Where an error word leads.
  static func outcome(of code: String, unsupportedToo: Set<String> = []) -> NodeOutcome {
    unsupported.union(unsupportedToo).contains(code)
      ? TrustedDeviceEnrollNode.unsupported : TrustedDeviceEnrollNode.clientError
  }
}

extension NodeContext {
  /// Where the client's error word stands in the shared state.
  static let trustedDeviceClientError = "trustedDeviceClientError"
  /// Where the reason of a failure stands in the shared state, in the words of the Frontend API.
  static let trustedDeviceFailure = "trustedDeviceFailure"

  /// What the client wrote into the field of a trusted-device page.
  var trustedDeviceOutcome: TrustedDeviceOutcome {
    TrustedDeviceOutcome(answers?.first { $0.type == "HiddenValueCallback" }?.text())
  }

  /// The two callbacks of a trusted-device page.
  static func trustedDevicePage(_ data: JSONObject) -> NodeResult {
    .ask([.metadata(data), .hiddenValue(id: TrustedDeviceOutcome.fieldID, value: "")])
  }

  /// Notes why a device was not accepted.
  mutating func refuseTrustedDevice(_ failure: FrontendFailure) -> NodeResult {
    state.shared[Self.trustedDeviceFailure] = .string(failure.code.rawValue)
    services.log(.proofRefused(journey: journey, check: failure.code.rawValue))
    return .done(.failure)
  }

  /// Ends a node whose client gave no answer; nil: it gave one.
  mutating func trustedDeviceEnd(_ outcome: TrustedDeviceOutcome, unsupportedToo: Set<String> = []) -> NodeResult? {
    switch outcome {
    case .answer: return nil
    case .untouched: return .done(TrustedDeviceEnrollNode.unsupported)
    case .malformed: return refuseTrustedDevice(FrontendFailure(.requestBodyInvalid))
    case .error(let code):
      state.shared[Self.trustedDeviceClientError] = .string(code)
      return .done(TrustedDeviceOutcome.outcome(of: code, unsupportedToo: unsupportedToo))
    }
  }
}
