internal import AuthenticatorCoding
internal import AuthenticatorCore

/// Asks a relying party which other origins may use its ID (WebAuthn Level 3 section 5.11).
struct RelatedOrigins {
  let transport: any HTTPTransport
  let suffixes: (any PublicSuffixList)?
  /// How many different labels count.
  let maximumLabels: Int

  private static let maximumRedirects = 5
  private static let maximumBytes = 256 * 1024

  /// Whether the list at the relying party names the origin. A list that is no list names nobody.
  /// - Throws: `timedOut` and `appCanceled` only.
  func names(
    origin: String, for relyingPartyID: String, until deadline: Duration, in environment: AuthenticatorEnvironment
  ) async throws -> Bool {
    do {
      let text = "https://\(relyingPartyID)/.well-known/webauthn"
      return try contains(origin, try await fetch(try WebURL(text), deadline, environment))
    } catch let error as AuthenticatorError where [.timedOut, .appCanceled].contains(error.code) {
      throw error
    } catch is CancellationError {
      throw AuthenticatorError(.appCanceled, stage: "relatedOrigins", underlying: CancellationError())
    } catch {
      return false
    }
  }

  /// Nil for an answer that does not count.
  private func fetch(
    _ url: WebURL, _ deadline: Duration, _ environment: AuthenticatorEnvironment
  ) async throws -> [UInt8]? {
    var url = url
    for _ in 0...Self.maximumRedirects {
      let left = deadline - environment.uptime()
      guard left > .zero else { throw AuthenticatorError(.timedOut, stage: "relatedOrigins") }
      // No cookies and no referrer: the transport adds neither.
      let response = try await transport.send(
        HTTPRequest(
          method: "GET", url: url, fields: [HTTPField("Accept", "application/json")], timeout: min(left, .seconds(30)),
          maximumBodyBytes: Self.maximumBytes))
      guard [301, 302, 303, 307, 308].contains(response.status) else {
        let type = response.values("Content-Type").first?.split(separator: ";").first ?? ""
        let isJSON = Domain.lowercased(type.filter { $0 != " " && $0 != "\t" }) == "application/json"
        return response.status == 200 && isJSON ? response.body : nil
      }
      guard let location = response.values("Location").first,
        let next = try? WebURL(location.hasPrefix("/") && !location.hasPrefix("//") ? url.origin + location : location),
        next.scheme == "https"
      else { return nil }
      url = next
    }
    return nil
  }

  private func contains(_ origin: String, _ body: [UInt8]?) throws -> Bool {
    guard let body, let suffixes, let entries = try JSONValue.parse(body)["origins"]?.arrayValue else { return false }
    // One entry that is no text spoils the list.
    let origins = entries.compactMap(\.stringValue)
    guard origins.count == entries.count, !origins.isEmpty else { return false }
    var labels: Set<String> = []
    for text in origins {
      guard let candidate = WebOrigin(text), Domain.isDomain(candidate.host),
        let domain = suffixes.registrableDomain(of: candidate.host),
        let label = domain.split(separator: ".").first.map(String.init)
      else { continue }
      // A label too many is passed over; entries of known labels still count.
      if labels.count >= maximumLabels, !labels.contains(label) { continue }
      labels.insert(label)
      if candidate.text == origin { return true }
    }
    return false
  }
}
