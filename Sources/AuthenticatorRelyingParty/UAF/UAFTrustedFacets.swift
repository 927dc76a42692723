public import AuthenticatorCoding

/// The list of an app's facets, as clients fetch it (AppID and Facets 1.1 section 3.1.1).
public struct UAFTrustedFacets: Hashable, Sendable {
  /// What the list has to be served as; clients take no other.
  public static let contentType = "application/fido.trusted-apps+json"

  private let versions: [UAFProtocolVersion]
  private let ids: [String]

  /// The same facets for several versions.
  public init(versions: [UAFProtocolVersion], ids: [String]) {
    self.versions = versions
    self.ids = ids
  }

  /// `{"trustedFacets": [{"version", "ids"}]}`
  public var json: JSONValue {
    [
      "trustedFacets": .array(
        versions.map { ["version": $0.json, "ids": .array(ids.map(JSONValue.string))] })
    ]
  }
}
