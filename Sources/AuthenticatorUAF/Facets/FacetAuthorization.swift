import AuthenticatorCoding
import AuthenticatorCore

/// Decides whether a caller may act for an application, and keeps fetched lists as long as their headers allow.
actor FacetAuthorization {
  private struct Entry {
    var list: TrustedFacetList
    var end: Duration
  }

  private var lists: [WebURL: Entry] = [:]

  static let maximumRedirects = UAFLimits.facetListRedirects
  static let maximumBytes = UAFLimits.facetListBytes
  private static let maximumLists = UAFLimits.facetLists
  /// The longest a list is kept, whatever its headers say.
  static let maximumAge = UAFLimits.facetListAge

  /// Where the list is that must name the caller; nil: the names alone say that the caller may act for the application
  /// (FIDO AppID and Facet Specification, section "Processing rules").
  /// - Throws: `untrustedFacet`; `invalidMessage` for an app ID that is no address though it begins like one.
  static func listAddress(of appID: String?, for facet: FacetID) throws -> WebURL? {
    guard let appID, !appID.isEmpty else { return nil }
    guard appID.begins(with: "https:") else {
      guard appID.isIdentical(to: facet.text) || appID.isIdentical(to: facet.normalized) else {
        throw untrusted("is not the caller's own")
      }
      return nil
    }
    let url: WebURL
    do { url = try WebURL(appID) } catch {
      throw AuthenticatorError(
        .invalidMessage, stage: "uaf.facets", reason: "the app ID is a malformed address", underlying: error)
    }
    return facet.webHost == url.host ? nil : url
  }

  /// Asks a list whether it names the caller.
  /// - Throws: `untrustedFacet`; `appCanceled`.
  func authorize(
    _ facet: FacetID, by url: WebURL, version: UAFVersion, configuration: UAFClientConfiguration,
    until deadline: Duration, in environment: AuthenticatorEnvironment
  ) async throws {
    let list = try await list(at: url, configuration, deadline, environment)
    guard list.names(facet, version: version) else {
      throw AuthenticatorError(
        .untrustedFacet, stage: "uaf.facets",
        reason: "the list of trusted facets at \(Self.place(url)) does not name the caller for version "
          + "\(version.major).\(version.minor)")
    }
  }

  private func list(
    at url: WebURL, _ configuration: UAFClientConfiguration, _ deadline: Duration,
    _ environment: AuthenticatorEnvironment
  ) async throws -> TrustedFacetList {
    if let entry = lists[url], environment.uptime() < entry.end { return entry.list }
    lists[url] = nil
    guard let transport = configuration.transport else {
      throw Self.untrusted("cannot be asked: there is no transport")
    }
    do {
      let fetched = environment.uptime()
      let response = try await Self.fetch(url, by: transport, until: deadline, in: environment)
      let list = try TrustedFacetList(response.body, appID: url, rules: configuration.domainRules)
      let age = FacetListLifetime.of(response, now: environment.now())
      if age > .zero {
        if lists.count >= Self.maximumLists { lists.removeAll() }
        lists[url] = Entry(list: list, end: fetched + min(age, Self.maximumAge))
      }
      return list
    } catch let error as AuthenticatorError where [.untrustedFacet, .appCanceled].contains(error.code) {
      throw error
    } catch {
      if error is CancellationError || Task.isCancelled {
        throw AuthenticatorError(.appCanceled, stage: "uaf.facets", underlying: error)
      }
      // A server that is slow is no person who does not answer: a list that was not fetched names nobody.
      let cause = AuthenticatorError.wrapping(error, as: .transportFailed, stage: "uaf.facets")
      throw AuthenticatorError(
        .untrustedFacet, stage: "uaf.facets",
        reason: "the list of trusted facets cannot be had from \(Self.place(url)): "
          + (cause.reason.isEmpty ? cause.code.rawValue : cause.reason), underlying: error)
    }
  }

  /// The answer that has the list. No cookies, credentials, origin or referrer are sent: the transport adds none.
  private static func fetch(
    _ url: WebURL, by transport: any HTTPTransport, until deadline: Duration,
    in environment: AuthenticatorEnvironment
  ) async throws -> HTTPResponse {
    var url = url
    for _ in 0...maximumRedirects {
      let left = deadline - environment.uptime()
      guard left > .zero else {
        throw AuthenticatorError(.timedOut, stage: "uaf.facets", reason: "the time limit passed")
      }
      let response = try await transport.send(
        HTTPRequest(
          method: "GET", url: url, fields: [HTTPField("Accept", TrustedFacetList.contentType)],
          timeout: min(left, .seconds(30)), maximumBodyBytes: maximumBytes))
      if response.status == 200 {
        let type = response.values("Content-Type").first?.split(separator: ";").first ?? ""
        guard type.trimmed.lowercased() == TrustedFacetList.contentType else {
          throw untrusted("answers with another content type", url)
        }
        return response
      }
      guard (300..<400).contains(response.status) else { throw untrusted("answers with \(response.status)", url) }
      guard response.values("FIDO-AppID-Redirect-Authorized").first?.trimmed.lowercased() == "true" else {
        throw untrusted("redirects without authorization", url)
      }
      guard let location = response.values("Location").first, let next = redirected(url, to: location) else {
        throw untrusted("redirects to no https address", url)
      }
      url = next
    }
    throw untrusted("redirects too often", url)
  }

  /// Where a redirection leads; nil: nowhere, or to no https address.
  static func redirected(_ url: WebURL, to location: String) -> WebURL? {
    guard let next = url.resolving(location), next.scheme == "https" else { return nil }
    return next
  }

  private static func untrusted(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.untrustedFacet, stage: "uaf.facets", reason: "the app ID \(what)")
  }

  private static func untrusted(_ what: String, _ url: WebURL) -> AuthenticatorError {
    AuthenticatorError(
      .untrustedFacet, stage: "uaf.facets", reason: "the list of trusted facets: \(place(url)) \(what)")
  }

  /// An address as errors tell it, without its query.
  private static func place(_ url: WebURL) -> String { url.origin + url.path }
}

extension StringProtocol {
  /// Without spaces and tabs at the ends.
  var trimmed: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let front = drop(while: isSpace)
    guard let last = front.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(front[...last])
  }
}
