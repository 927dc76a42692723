import AuthenticatorCore
import DeviceAuthenticators

/// A device for tests and demos: its sensor, what is enrolled, its passcode, and what the person in front of it does.
///
/// Its JSON form (schema version 1) is read by `init(contentsOf:)`; `ScriptedUserVerifier` plays it.
public struct ScriptedDevice: Sendable {
  /// The biometric sensor it has.
  public enum Sensor: String, Sendable, CaseIterable {
    /// A fingerprint reader.
    case fingerprint
    /// A camera that knows faces.
    case face
    /// Nothing of the kind.
    case none

    /// The method of its sensor; nil without one.
    public var method: VerificationMethod? {
      switch self {
      case .fingerprint: .fingerprint
      case .face: .face
      case .none: nil
      }
    }
  }

  /// Whether the digest of the enrolled set can be read.
  public enum DomainState: String, Sendable, CaseIterable {
    /// It follows from the enrolled set.
    case derived
    /// Asking for it throws.
    case unreadable
  }

  /// The verification that the app hands over, once in a run.
  public struct Context: Hashable, Sendable {
    /// Biometric, by the device's sensor, or passcode.
    public var isBiometric: Bool
    /// Whether it succeeded.
    public var isAuthenticated: Bool
    /// Whether the app withdrew it.
    public var isInvalidated: Bool
    /// How long ago it was made.
    public var age: Duration

    /// A fresh biometric success, unless said otherwise.
    public init(
      isBiometric: Bool = true, isAuthenticated: Bool = true, isInvalidated: Bool = false, age: Duration = .zero
    ) {
      self.isBiometric = isBiometric
      self.isAuthenticated = isAuthenticated
      self.isInvalidated = isInvalidated
      self.age = age
    }
  }

  /// The biometric sensor.
  public var sensor: Sensor
  /// Whether the sensor answers at all; false: as if its service were gone.
  public var isSensorAvailable: Bool
  /// The names of the enrolled fingers or faces.
  public var enrolled: Set<String>
  /// The device's passcode; nil: none is set.
  public var passcode: ScriptedText?
  /// Consecutive misses so far; five lock the sensor.
  public var failedAttempts: Int
  /// Whether the sensor is locked until the passcode is given.
  public var isLockedOut: Bool
  /// Whether the digest of the enrolled set can be read.
  public var domainState: DomainState
  /// Fixes the wall clock; nil leaves it alone.
  public var now: UnixTime?
  /// A file that receives a line for every prompt shown.
  public var transcript: String?
  /// A file in which misses, the lock and the enrolled set live on from run to run.
  public var state: String?
  /// What the person does, one touch or entry each.
  public var steps: [ScriptedStep]
  /// What the app's context delegate hands over; nil: nothing.
  public var context: Context?

  /// A device with nothing but what is said.
  public init(
    sensor: Sensor = .none, enrolled: Set<String> = [], passcode: ScriptedText? = nil, failedAttempts: Int = 0,
    isLockedOut: Bool = false, domainState: DomainState = .derived, now: UnixTime? = nil,
    transcript: String? = nil, state: String? = nil, steps: [ScriptedStep] = [], context: Context? = nil,
    isSensorAvailable: Bool = true
  ) {
    self.sensor = sensor
    self.isSensorAvailable = isSensorAvailable
    self.enrolled = enrolled
    self.passcode = passcode
    self.failedAttempts = failedAttempts
    self.isLockedOut = isLockedOut
    self.domainState = domainState
    self.now = now
    self.transcript = transcript
    self.state = state
    self.steps = steps
    self.context = context
  }

  /// The environment with the wall clock this device fixes, or unchanged.
  public func applied(to environment: AuthenticatorEnvironment) -> AuthenticatorEnvironment {
    guard let now else { return environment }
    var environment = environment
    environment.now = { now }
    return environment
  }
}

/// What the person in front of a scripted device does.
///
/// A step for which the prompt at hand has no control (a touch while a PIN is asked for, a fallback button that is
/// not there) changes nothing and is passed over.
public enum ScriptedStep: Hashable, Sendable {
  /// A touch of an enrolled finger; with a name, of that finger, which misses if it is not enrolled.
  case match(finger: String? = nil)
  /// A touch that does not match.
  case mismatch
  /// The cancel button.
  case cancel
  /// The operating system takes the prompt away.
  case systemCancel
  /// The fallback button: the app's own, or the way to the passcode where that is admitted.
  case fallback
  /// An entry of the device passcode.
  case passcode(ScriptedText)
  /// An entry of an application PIN.
  case pin(ScriptedText)
  /// Yes.
  case approve
  /// No.
  case refuse
  /// A choice, by the option's text.
  case choose(String)
  /// Nothing until the operation's time is over.
  case noAnswer
  /// A prompt that never ends and ignores its cancellation.
  case hang
  /// The sensor goes away.
  case sensorUnavailable
  /// A finger is enrolled, before the next touch.
  case enroll(String)
  /// A finger is removed, before the next touch.
  case remove(String)
}

/// Text of a script that stands for a secret: never shown by a description or a dump.
public struct ScriptedText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomReflectable {
  /// The text.
  public let text: String

  /// Holds a text.
  public init(_ text: String) { self.text = text }

  /// Holds a literal.
  public init(stringLiteral text: String) { self.text = text }

  public var description: String { "ScriptedText(redacted)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a scripted device cannot be used: its description is not of schema version 1, or its files fail.
public struct ScriptedDeviceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line: where, and what is wrong.
  public let description: String

  init(_ description: String) { self.description = description }
}
