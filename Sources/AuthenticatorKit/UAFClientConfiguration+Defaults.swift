extension UAFClientConfiguration {
  /// A UAF client with the shipped authenticators and this machine's public suffix list that, unless it is given
  /// another transport, fetches facet lists with libcurl.
  /// - Parameters:
  ///   - instance: names the server whose keys these are.
  ///   - verifier: checks the person. If it can also collect PINs, ask for a choice, show a transaction or hand over a
  ///     verification, it does.
  ///   - allowsSoftwareKeys: whether biometric and passcode authenticators may make keys without hardware. Without it
  ///     they are not offered on a machine that has no hardware keys.
  /// - Throws: `unsupported` when the machine has no public suffix list; `transportFailed` when libcurl cannot start.
  public init(
    instance: String, authenticators: [UAFAuthenticatorModel], keyStore: any KeyStore, verifier: any UserVerifier,
    environment: AuthenticatorEnvironment, transport: (any HTTPTransport)? = nil, allowsSoftwareKeys: Bool = false
  ) throws {
    self.init(
      context: AuthenticatorContext(
        instance: instance, keyStore: keyStore, verifier: verifier, environment: environment),
      authenticators: authenticators,
      devices: UAFDeviceAuthenticators(
        biometric: BiometricAuthenticatorConfig(
          allowsSoftwareKeys: allowsSoftwareKeys, contextDelegate: verifier as? any BiometricContextDelegate),
        devicePasscode: DevicePasscodeConfig(allowsSoftwareKeys: allowsSoftwareKeys),
        applicationPIN: (verifier as? any PINCollector).map { ApplicationPINConfig(pinCollector: $0) }),
      transport: try transport ?? CurlTransport(),
      domainRules: FacetDomainRules(publicSuffixes: try SystemPublicSuffixList()),
      responder: verifier as? any PromptResponder)
  }
}

extension FacetDomainRules {
  /// What belongs together by a list of public suffixes. An IP address belongs to nothing but itself.
  public init(publicSuffixes: any PublicSuffixList) {
    self.init { host in
      if Self.isAddress(host) { return host }
      let suffix = publicSuffixes.publicSuffix(of: host)
      guard host != suffix, host.hasSuffix("." + suffix) else { return nil }
      let rest = host.dropLast(suffix.utf8.count + 1)
      guard let label = rest.split(separator: ".").last else { return nil }
      return "\(label).\(suffix)"
    }
  }
  /// Whether a host is an IP address in any notation that resolvers take: a domain never ends in a number.
  private static func isAddress(_ host: String) -> Bool {
    guard !host.hasPrefix("["), let last = host.split(separator: ".").last else { return true }
    let isHexadecimal = last.lowercased().hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
    return isHexadecimal || last.allSatisfy { $0.isASCII && $0.isNumber }
  }
}
