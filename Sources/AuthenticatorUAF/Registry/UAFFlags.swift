/// How a model verifies the person (FIDO Registry, section "User Verification Methods").
public struct UserVerificationMethods: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Somebody is there.
  public static let presence = Self(rawValue: 0x01)
  /// A finger.
  public static let fingerprint = Self(rawValue: 0x02)
  /// A passcode or PIN.
  public static let passcode = Self(rawValue: 0x04)
  /// A voice.
  public static let voiceprint = Self(rawValue: 0x08)
  /// A face.
  public static let faceprint = Self(rawValue: 0x10)
  /// A place.
  public static let location = Self(rawValue: 0x20)
  /// An eye.
  public static let eyeprint = Self(rawValue: 0x40)
  /// A drawn pattern.
  public static let pattern = Self(rawValue: 0x80)
  /// A hand.
  public static let handprint = Self(rawValue: 0x100)
  /// Nothing is asked.
  public static let none = Self(rawValue: 0x200)
  /// All of the named methods are needed, not any one.
  public static let all = Self(rawValue: 0x400)

  /// Whether a criterion asking for `other` is met: equal, or a shared method when neither side says "all".
  func matches(_ other: UserVerificationMethods) -> Bool {
    self == other || (!contains(.all) && !other.contains(.all) && !isDisjoint(with: other))
  }
}

/// How a model keeps its keys (FIDO Registry, section "Key Protection Types").
public struct KeyProtectionTypes: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// In software.
  public static let software = Self(rawValue: 0x01)
  /// In hardware of some kind.
  public static let hardware = Self(rawValue: 0x02)
  /// In a trusted execution environment.
  public static let trustedExecutionEnvironment = Self(rawValue: 0x04)
  /// In a secure element.
  public static let secureElement = Self(rawValue: 0x08)
  /// The key handle is kept by the server.
  public static let remoteHandle = Self(rawValue: 0x10)
}

/// Where a model compares the person (FIDO Registry, section "Matcher Protection Types").
public struct MatcherProtectionTypes: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// In software.
  public static let software = Self(rawValue: 0x01)
  /// In a trusted execution environment.
  public static let trustedExecutionEnvironment = Self(rawValue: 0x02)
  /// In the sensor.
  public static let onChip = Self(rawValue: 0x04)
}

/// How a model is connected (FIDO Registry, section "Authenticator Attachment Hints").
public struct AttachmentHint: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Built in.
  public static let `internal` = Self(rawValue: 0x01)
  /// A device of its own.
  public static let external = Self(rawValue: 0x02)
  /// By wire.
  public static let wired = Self(rawValue: 0x04)
  /// Without wire.
  public static let wireless = Self(rawValue: 0x08)
}

/// Who shows a transaction (FIDO Registry, section "Transaction Confirmation Display Types"); empty: nobody.
public struct TransactionConfirmationDisplay: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Some display.
  public static let any = Self(rawValue: 0x01)
  /// Software with the rights of an ASM.
  public static let privilegedSoftware = Self(rawValue: 0x02)
  /// A trusted execution environment.
  public static let trustedExecutionEnvironment = Self(rawValue: 0x04)
  /// Hardware of its own.
  public static let hardware = Self(rawValue: 0x08)
  /// Another device.
  public static let remote = Self(rawValue: 0x10)
}
