import AuthenticatorCore
import DeviceAuthenticators
import Synchronization

/// Plays a `ScriptedDevice`: a verifier, PIN collector and prompt responder for tests and demos.
///
/// It checks what it is given like a real device: touches against the enrolled set, entries against the passcode.
/// Three misses end a prompt, five in a row lock the sensor until the passcode is given, a success resets the count.
/// It never says yes to text it has not compared. A prompt past the last step is canceled by the user. Every prompt
/// is recorded in `prompts`.
public final class ScriptedUserVerifier: Sendable {
  struct Stage {
    var body: ScriptedBody
    var steps: [ScriptedStep]
    var nextStep = 0
    var passedOver: [Int] = []
    var prompts: [PromptRecord] = []
    /// The index of the prompt that is shown.
    var shown: Int?
    var hanging: [UnsafeContinuation<Void, Never>] = []
    var context: ScriptedDevice.Context?
  }

  /// Misses that end a prompt.
  public static let missesPerPrompt = 3
  /// Misses in a row that lock the sensor.
  public static let missesUntilLock = 5

  let environment: AuthenticatorEnvironment
  let stage: Mutex<Stage>

  /// Sets the stage.
  /// - Parameter environment: whose clock times prompts and tickets.
  /// - Throws: `ScriptedDeviceError`, naming the file, when the device's state cannot be read, made or replaced, or
  ///   its transcript cannot be added to.
  public init(_ device: ScriptedDevice, environment: AuthenticatorEnvironment) throws {
    self.environment = environment
    stage = Mutex(
      Stage(body: try ScriptedBody(device), steps: device.steps, context: device.context))
    if let transcript = device.transcript { try ScriptedFile(path: transcript).checkAppendable() }
  }

  /// Every prompt shown so far, in order.
  public var prompts: [PromptRecord] { stage.withLock { $0.prompts } }

  /// The indexes of the steps that were passed over, because the prompt had no control for them.
  public var passedOver: [Int] { stage.withLock { $0.passedOver } }

  /// How many steps are left over.
  public var remainingSteps: Int { stage.withLock { $0.steps.count - $0.nextStep } }

  /// Consecutive misses so far.
  public var failedAttempts: Int { stage.withLock { $0.body.failedAttempts } }

  /// Whether the sensor is locked until the passcode is given.
  public var isLockedOut: Bool { stage.withLock { $0.body.isLockedOut } }

  /// Forgets the steps left over and goes on with these.
  public func script(_ steps: [ScriptedStep]) {
    stage.withLock { stage in
      stage.steps.removeLast(stage.steps.count - stage.nextStep)
      stage.steps += steps
    }
  }

  /// Adds steps after the ones there are.
  public func perform(_ steps: ScriptedStep...) { stage.withLock { $0.steps += steps } }

  /// Enrolls a finger or face now.
  public func enroll(_ name: String) throws { try stage.withLock { try $0.body.enroll(name) } }

  /// Removes a finger or face now.
  public func remove(_ name: String) throws { try stage.withLock { try $0.body.remove(name) } }

  /// Puts a verification in the app's hands that its context delegate gives out once.
  public func handOver(_ context: ScriptedDevice.Context?) { stage.withLock { $0.context = context } }

  /// Ends the prompts that hang; on return, the next prompt may be shown.
  public func releaseHanging() {
    let hanging = stage.withLock { stage in
      defer { stage.hanging = [] }
      if stage.isHanging { stage.shown = nil }
      return stage.hanging
    }
    for continuation in hanging { continuation.resume() }
  }
}

extension ScriptedUserVerifier: BiometricContextDelegate {
  /// The device's `context`, once; put the verifier into a `BiometricAuthenticatorConfig` to have it asked.
  public func biometricContext() async -> BiometricContext? {
    let (context, sensor) = stage.withLock { stage in
      defer { stage.context = nil }
      return (stage.context, stage.body.device.sensor)
    }
    guard let context else { return nil }
    let result = BiometricContext(
      method: context.isBiometric ? sensor.method ?? .fingerprint : .passcode,
      time: environment.uptime() - context.age, isAuthenticated: context.isAuthenticated)
    if context.isInvalidated { result.invalidate() }
    return result
  }
}
