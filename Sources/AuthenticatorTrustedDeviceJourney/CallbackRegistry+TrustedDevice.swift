import AuthenticatorJourney

extension CallbackRegistry {
  /// Adds the two trusted-device callbacks, which are recognized by content. Metadata of any other kind, and actions
  /// that this package does not know, stay what they are.
  /// - Parameter configuration: with what the callbacks work; nil: the app gives it to each of them.
  public mutating func registerTrustedDevices(_ configuration: TrustedDeviceJourneyConfiguration? = nil) {
    specialize(MetadataCallback.wireType) { payload in
      let data = payload.output("data")
      guard data?["_type"]?.stringValue == TrustedDeviceCallback.kind else { return nil }
      let callback: TrustedDeviceCallback
      switch data?["_action"]?.stringValue {
      case TrustedDeviceEnrollCallback.action: callback = try TrustedDeviceEnrollCallback(payload)
      case TrustedDeviceSignInCallback.action: callback = try TrustedDeviceSignInCallback(payload)
      default: return nil
      }
      callback.configuration = configuration
      return callback
    }
  }

  /// A copy with the two trusted-device callbacks.
  public func registeringTrustedDevices(
    _ configuration: TrustedDeviceJourneyConfiguration? = nil
  ) -> CallbackRegistry {
    var copy = self
    copy.registerTrustedDevices(configuration)
    return copy
  }
}

extension ContinueNode {
  /// The answer to a trusted-device page: the text in its hidden field. Setting it answers the field; nil takes the
  /// answer back.
  public var trustedDeviceOutcome: String? {
    get { trustedDeviceField?.value }
    set { trustedDeviceField?.value = newValue }
  }

  var trustedDeviceField: HiddenValueCallback? { hiddenValue(id: "trustedDeviceOutcome") }
}
