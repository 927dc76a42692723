import AuthenticatorCore

extension ScriptedUserVerifier {
  fileprivate enum Progress<Value> {
    case ended(Result<Value, AuthenticatorError>)
    case waiting
    case hanging
  }

  /// Shows one prompt and plays steps until it ends.
  /// - Throws: `storageFailed`, naming the file, when the device's state or transcript fails in the middle.
  func show<Play: ScriptedPlay>(
    _ record: PromptRecord, until deadline: Duration, _ play: Play
  ) async throws -> Play.Value {
    let prompt = try begin(record)
    do {
      return try await run(prompt, until: deadline, play)
    } catch let error as ScriptedDeviceError {
      // The files failed and not the sensor.
      let failure = AuthenticatorError(.storageFailed, stage: "scripted", reason: error.description)
      stage.withLock { stage in
        if stage.shown == prompt { stage.shown = nil }
        stage.prompts[prompt].result = failure.code.rawValue
      }
      throw failure
    }
  }

  private func run<Play: ScriptedPlay>(
    _ prompt: Int, until deadline: Duration, _ play: Play
  ) async throws -> Play.Value {
    var play = play
    return try await withTaskCancellationHandler {
      while true {
        switch try advance(prompt, until: deadline, &play) {
        case .ended(let result): return try result.get()
        case .waiting:
          do {
            try await environment.sleep(deadline)
          } catch {
            try interrupt(prompt, until: deadline)
          }
        case .hanging: await withUnsafeContinuation { hang($0) }
        }
      }
    } onCancel: {
      cancel(prompt, until: deadline)
    }
  }

  private func begin(_ record: PromptRecord) throws -> Int {
    try stage.withLock { stage in
      guard stage.shown == nil else { throw AuthenticatorError(.busy, stage: "scripted") }
      stage.prompts.append(record)
      stage.shown = stage.prompts.count - 1
      return stage.prompts.count - 1
    }
  }

  /// Plays steps while they need no time.
  private func advance<Play: ScriptedPlay>(
    _ prompt: Int, until deadline: Duration, _ play: inout Play
  ) throws -> Progress<Play.Value> {
    try stage.withLock { stage in
      while true {
        guard stage.shown == prompt else {
          return .ended(.failure(AuthenticatorError(.appCanceled, stage: "scripted")))
        }
        guard environment.uptime() < deadline else { return try stage.fail(prompt, .timedOut) }
        guard stage.nextStep < stage.steps.count else { return try stage.fail(prompt, .userCanceled) }
        let step = stage.steps[stage.nextStep]
        stage.nextStep += 1
        switch step {
        case .cancel: return try stage.fail(prompt, .userCanceled)
        case .systemCancel: return try stage.fail(prompt, .systemCanceled)
        case .enroll(let name): try stage.body.enroll(name)
        case .remove(let name): try stage.body.remove(name)
        case .noAnswer: return .waiting
        case .hang:
          try stage.write(stage.prompts[prompt])
          return .hanging
        default:
          switch try play.react(to: step, body: &stage.body) {
          case .passedOver: stage.passedOver.append(stage.nextStep - 1)
          case .goesOn: break
          case .succeeded(let value, let result):
            try stage.end(prompt, result: result)
            return .ended(.success(value))
          case .failed(let error):
            try stage.end(prompt, result: error.code.rawValue)
            return .ended(.failure(error))
          }
        }
      }
    }
  }

  /// Ends the prompt at once, so that the next one is not refused as overlapping. Whoever took it away knows why; a
  /// transcript that cannot be written is found out by the next prompt.
  private func cancel(_ prompt: Int, until deadline: Duration) {
    do {
      try interrupt(prompt, until: deadline)
    } catch {}
  }

  private func interrupt(_ prompt: Int, until deadline: Duration) throws {
    try stage.withLock { stage in
      guard stage.shown == prompt, !stage.isHanging else { return }
      let code: AuthenticatorError.Code = environment.uptime() < deadline ? .appCanceled : .timedOut
      try stage.end(prompt, result: code.rawValue)
    }
  }

  private func hang(_ continuation: UnsafeContinuation<Void, Never>) {
    stage.withLock { $0.hanging.append(continuation) }
  }
}

extension ScriptedUserVerifier.Stage {
  var isHanging: Bool { nextStep > 0 && nextStep <= steps.count && steps[nextStep - 1] == .hang }

  mutating func end(_ prompt: Int, result: String) throws {
    shown = nil
    prompts[prompt].result = result
    try write(prompts[prompt])
  }

  fileprivate mutating func fail<Value>(
    _ prompt: Int, _ code: AuthenticatorError.Code
  ) throws -> ScriptedUserVerifier.Progress<Value> {
    try end(prompt, result: code.rawValue)
    return .ended(.failure(AuthenticatorError(code, stage: "scripted")))
  }

  func write(_ record: PromptRecord) throws {
    guard let path = body.device.transcript else { return }
    try ScriptedFile(path: path).append(record.transcriptLine)
  }
}
