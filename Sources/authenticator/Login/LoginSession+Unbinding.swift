import AuthenticatorCore
import AuthenticatorDeviceBinding

/// What a session is good for besides: the server's half of keys that are no longer in use.
extension LoginSession {
  func devices(_ holder: KeyHolder) throws -> BindingDevices {
    try BindingDevices(journey, context: holder.context(instance: journey.configuration.instance))
  }

  /// Finishes unbindings that are open. What fails is no failure of the sign-in and is left for the next.
  func finishUnbindings(after outcome: LoginOutcome) async {
    guard outcome.word == .success, outcome.session?.hasToken == true else { return }
    await attempt {
      guard let holder = try await device.withKeys() else { return }
      let query = KeyQuery(
        instance: journey.configuration.instance, family: .deviceBinding,
        party: journey.configuration.realm.description, states: [.revoking])
      guard try await !holder.store.records(matching: query).isEmpty else { return }
      let finished = try await devices(holder).finishUnbindings()
      console.trace("keys gone here and on the server: \(finished.count)")
    }
  }

  /// Removes the server's record of a key that another has replaced.
  /// - Returns: whether it is certainly gone.
  func release(_ tag: KeyTag, in holder: KeyHolder, after outcome: LoginOutcome) async -> Bool {
    guard outcome.word == .success, outcome.session?.hasToken == true else { return false }
    var released: [KeyTag] = []
    await attempt { released = try await devices(holder).releaseReplaced() }
    return released.contains(tag)
  }

  private func attempt(_ body: () async throws -> Void) async {
    do { try await body() } catch { console.trace("unbinding is left for the next sign-in: \(Failure(error).code)") }
  }
}
