extension Journey {
  /// A client that knows every callback of the package and, unless it is given another transport, sends with libcurl.
  /// - Parameters:
  ///   - server: the deployment's address, context path included; `https`, or `http` to this machine.
  ///   - realm: `/`, `/alpha`.
  ///   - storage: keeps the session; in memory by default.
  /// - Throws: `invalidRequest`, naming the setting; `transportFailed` when libcurl cannot start.
  public convenience init(
    server: String, realm: String = "/", environment: AuthenticatorEnvironment,
    transport: (any HTTPTransport)? = nil, storage: any SessionStorage = InMemorySessionStorage()
  ) throws {
    self.init(
      try JourneyConfiguration(server: server, realm: realm), transport: try transport ?? CurlTransport(),
      environment: environment, storage: storage, callbacks: .complete)
  }
}
