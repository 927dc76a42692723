extension CallbackRegistry {
  /// Every callback class of this package: the plain ones, device binding and device signing.
  public static let complete = CallbackRegistry.standard
    .registering(DeviceBindingCallback.self)
    .registering(DeviceSigningVerifierCallback.self)
}
