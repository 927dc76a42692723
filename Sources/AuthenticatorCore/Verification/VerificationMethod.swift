/// A way of checking the person. Open: a back end may add its own.
public struct VerificationMethod: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A fingerprint.
  public static let fingerprint = VerificationMethod(rawValue: "fingerprint")
  /// A face.
  public static let face = VerificationMethod(rawValue: "face")
  /// The device's own passcode or the operating-system password.
  public static let passcode = VerificationMethod(rawValue: "passcode")
  /// A PIN that belongs to the app.
  public static let applicationPIN = VerificationMethod(rawValue: "applicationPIN")
  /// A touch or a yes: somebody, nobody in particular.
  public static let presence = VerificationMethod(rawValue: "presence")

  /// The methods that look at the body. A key gate that names them admits whichever the device has.
  public static let biometrics: Set<VerificationMethod> = [.fingerprint, .face]
  /// Whether it looks at the body.
  public var isBiometric: Bool { Self.biometrics.contains(self) }
}

/// Whether a method could be used now; answered silently.
public enum MethodState: Hashable, Sendable {
  /// It could be used now.
  case ready
  /// A sensor without enrolled prints or faces.
  case notEnrolled
  /// No passcode is set, or nothing can check one.
  case notSet
  /// The device has no such sensor.
  case noSensor
  /// Failed too often; for biometrics the passcode unlocks it.
  case lockedOut
  /// The device cannot tell (daemon gone, permission missing).
  case unavailable
}

/// Where the comparison of the person with the enrolled template is made.
public enum MatcherProtection: String, Hashable, Sendable {
  /// In this process or a daemon.
  case software
  /// In a trusted execution environment.
  case trustedExecutionEnvironment
  /// In the sensor.
  case onChip
}
