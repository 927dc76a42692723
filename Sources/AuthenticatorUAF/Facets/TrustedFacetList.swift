import AuthenticatorCoding
import AuthenticatorCore

/// The facets that an application trusts, as its app ID's address serves them (FIDO AppID and Facet Specification).
package struct TrustedFacetList: Sendable {
  /// Identities of apps and https origins in UTF-8, by protocol version.
  private var facets: [UAFVersion: Set<[UInt8]>] = [:]

  static let contentType = "application/fido.trusted-apps+json"

  /// Reads a list; entries that nobody may name are dropped.
  /// - Throws: `invalidMessage`.
  package init(_ body: [UInt8], appID: WebURL, rules: FacetDomainRules) throws {
    let document: JSONDocument
    do { document = try JSONDocument(body) } catch {
      throw AuthenticatorError(.invalidMessage, stage: "uaf.facets", reason: "the list is no JSON", underlying: error)
    }
    let members = try MessageMembers(document.root, "trustedFacets")
    let own = rules.leastSpecificPrivateLabel(appID.host)
    for entry in try members.list("trustedFacets", maximum: 64) {
      let version = try UAFVersion(entry["version"], "trustedFacets.version")
      guard let ids = entry["ids"]?.elements, ids.count <= 4096 else { throw members.malformed("trustedFacets") }
      guard facets[version] == nil else { throw MessageMembers.error("trustedFacets", "has a version twice") }
      facets[version] = Set(
        ids.compactMap(\.stringValue).compactMap { id -> [UInt8]? in
          guard let separator = id.firstRange(of: "://") else { return Self.appIdentity(id).map { Array($0.utf8) } }
          guard id[..<separator.lowerBound].lowercased() == "https", let origin = Self.origin(id) else { return nil }
          guard let own, rules.leastSpecificPrivateLabel(origin.host) == own else { return nil }
          return Array(origin.origin.utf8)
        })
    }
  }

  /// Whether the list names the facet for this version.
  func names(_ facetID: FacetID, version: UAFVersion) -> Bool {
    facets[version]?.contains(Array(facetID.normalized.utf8)) ?? false
  }

  /// The same for a caller's own text, which may be no facet at all.
  package func names(_ facetID: String, version: UAFVersion) -> Bool {
    guard let facet = try? FacetID(facetID) else { return false }
    return names(facet, version: version)
  }

  private static func appIdentity(_ id: String) -> String? {
    (1...512).contains(id.unicodeScalars.count) && id.contains(":") ? id : nil
  }

  /// The origin of an address, whatever path, query, user information or fragment it has.
  private static func origin(_ text: String) -> WebURL? {
    guard let separator = text.firstRange(of: "://") else { return nil }
    let rest = text[separator.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    return try? WebURL("https://" + host)
  }
}
