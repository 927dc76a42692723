import AuthenticatorCore
import AuthenticatorHTTP
import AuthenticatorKit
import AuthenticatorPublicSuffix
import AuthenticatorUAF
import DeviceAuthenticators

extension Device {
  /// A UAF client over a store.
  /// - Parameters:
  ///   - models: the authenticators of this device.
  ///   - path: the file that they are from; nil: none.
  ///   - instance: whose keys.
  ///   - certificateFile: PEM certificates to trust for facet lists instead of the system's.
  ///   - responder: asks for choices in the person's place; nil: the person is asked.
  ///   - timeout: for one message with its prompts; nil: the client's own limit.
  /// - Throws: an unusable-input failure for models that claim what cannot be.
  func uafClient(
    _ models: [UAFAuthenticatorModel], of path: String?, over store: any KeyStore, instance: String,
    certificateFile: String?,
    responder: (any PromptResponder)? = nil, timeout: Duration? = nil
  ) throws -> UAFClient {
    let transport: CurlTransport
    do {
      transport = try CurlTransport(CurlConfiguration(certificateFile: certificateFile))
    } catch let error as AuthenticatorError where error.code == .invalidRequest {
      throw Failure.unusable("inputUnusable", error.reason, stage: error.stage)
    }
    var configuration = UAFClientConfiguration(
      context: AuthenticatorContext(
        instance: instance, keyStore: store, verifier: person.verifier, environment: person.environment),
      authenticators: models,
      devices: UAFDeviceAuthenticators(
        biometric: BiometricAuthenticatorConfig(
          allowsSoftwareKeys: options.allowsSoftwareKeys, contextDelegate: person.contextDelegate),
        devicePasscode: DevicePasscodeConfig(allowsSoftwareKeys: options.allowsSoftwareKeys),
        applicationPIN: ApplicationPINConfig(pinCollector: person.collector)),
      transport: transport, domainRules: FacetDomainRules(publicSuffixes: try SystemPublicSuffixList()),
      responder: responder ?? person.responder)
    if let timeout { configuration.timeout = timeout }
    do { return try UAFClient(configuration) } catch let error as AuthenticatorError where error.code == .invalidRequest
    {
      let reason = AuthenticatorsFile.reason(error)
      throw Failure.unusable(
        "inputUnusable", (path.map { InputFile.name($0) + ": " } ?? "") + reason, stage: "authenticators")
    }
  }
}
