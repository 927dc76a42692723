import AuthenticatorCore

extension TrustedDeviceClient {
  /// Asks the server about the credential that would sign in, from the newest on, until it accepts one.
  func validate(id: String?, hint: String?) async throws -> TrustedDeviceValidation {
    // Without settings or client nothing the server says could be understood as being about this installation.
    guard state.environment != nil, state.current.client != nil else { return .inconclusive }
    if state.environment?.closedReason != nil { await api.refreshEnvironmentQuietly() }
    var isFirst = true
    while true {
      let selection = try await select(id: id, hint: hint, asksServer: false)
      guard let credential = selection.credential else {
        return .invalid(isFirst ? selection.reason ?? .noLocalCredential : .serverCredentialMissing)
      }
      isFirst = false
      switch try await ask(credential) {
      case .some(let verdict): return verdict
      case .none:
        // What cannot be removed would be asked about for ever.
        guard await shelf.removeOrPostpone(credential, .missingOnServer) else { return .inconclusive }
      }
    }
  }

  /// Nil: the server does not know the credential.
  private func ask(_ credential: LocalCredential) async throws -> TrustedDeviceValidation? {
    do {
      switch try await isAccepted(credential) {
      case true: return .valid
      case false: return nil
      case nil: return .inconclusive
      }
    } catch let error as AuthenticatorError {
      switch error.code {
      case .nativeAPIDisabled: return .invalid(.nativeAPIDisabled)
      case .featureDisabled: return .invalid(.featureDisabled)
      default: return .inconclusive
      }
    }
  }

  /// Asks the server, without a session, about one credential.
  /// - Returns: nil: the answer does not say.
  func isAccepted(_ credential: LocalCredential) async throws -> Bool? {
    do {
      let answer = try await api.send(
        FrontendRequest(
          "POST", "client", configuration.urlFamily.rawValue, "validate",
          form: [("trusted_device_id", credential.id)], retrying: .once))
      return answer.response["valid"]?.boolValue
    } catch let error as AuthenticatorError where error.code == .credentialGone {
      return false
    }
  }
}
