internal import AuthenticatorCore

/// The relying party a node speaks for.
struct RelyingPartyIdentity: Equatable {
  /// The relying party ID.
  let id: String
  /// The origins that may run its ceremonies.
  let origins: Set<String>

  /// `domain` and `origins` are the node's own settings; what it leaves open comes from the server's configuration, and
  /// then from the server's address. What a request says about its origin is no source: whoever sends it chooses it.
  ///
  /// Throws `TreeFault` when there is nothing to take them from.
  init(domain: String?, origins: [String], _ context: NodeContext) throws {
    let own = OwnOrigins(address: context.serverAddress)
    let configuration = context.services.webAuthn
    guard let id = domain ?? configuration.relyingPartyID ?? own?.relyingPartyID else {
      throw TreeFault(tree: context.journey, step: context.nodeID, "knows no relying party ID")
    }
    self.id = id
    self.origins = origins.isEmpty ? configuration.origins.union(own?.all ?? []) : Set(origins)
    guard !self.origins.isEmpty else {
      throw TreeFault(tree: context.journey, step: context.nodeID, "knows no origin that may run its ceremonies")
    }
  }
}

/// What a browser calls the server at an address.
struct OwnOrigins: Equatable {
  /// The origin of the address itself.
  let address: String
  /// Beside it the name of this machine where the address is a number.
  let all: Set<String>
  /// Nil for a numeric address: such a host cannot be a relying party ID.
  let relyingPartyID: String?

  /// Nil for anything but a URL of http or https.
  init?(address: String) {
    guard let url = try? WebURL(address) else { return nil }
    let port = url.port == (url.scheme == "https" ? 443 : 80) ? "" : ":\(url.port)"
    self.address = "\(url.scheme)://\(url.host)\(port)"
    var all: Set<String> = [self.address]
    if url.host.hasPrefix("127.") || url.host == "[::1]" {
      // Numeric addresses have no relying party ID; browsers reach this machine by its name.
      all.insert("\(url.scheme)://localhost\(port)")
      relyingPartyID = "localhost"
    } else {
      let isNumeric = url.host.hasPrefix("[") || url.host.split(separator: ".").last?.allSatisfy(\.isNumber) ?? true
      relyingPartyID = isNumeric ? nil : url.host
    }
    self.all = all
  }
}
