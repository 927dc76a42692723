import AuthenticatorCoding
import AuthenticatorCore

/// Who calls: a web origin or an app's identity.
struct FacetID: Hashable, Sendable {
  /// As the caller gave it.
  let text: String
  /// The one form in which it is compared and told: an origin in lower case, without a port that its scheme implies and
  /// without a slash at its end.
  let normalized: String
  /// The host of an https origin; nil for apps.
  let webHost: String?

  /// - Throws: `invalidRequest` for text that is empty, too long or a plain http origin.
  init(_ text: String) throws {
    guard text.hasScalars(1...512) else { throw Self.invalid("is empty or too long") }
    self.text = text
    guard text.begins(with: "https://") else {
      guard !text.begins(with: "http://") else {
        throw AuthenticatorError(.untrustedFacet, stage: "uaf.facets", reason: "plain http is no facet")
      }
      normalized = text
      webHost = nil
      return
    }
    let url = try WebURL(text)
    guard url.path == "/", url.query == nil else { throw Self.invalid("is no origin") }
    normalized = url.origin
    webHost = url.host
  }

  /// The application of an ID in a message's header; nil: the facet is the application.
  func application(_ appID: String?) -> UAFApplication {
    if let appID, !appID.isEmpty { return UAFApplication(id: appID) }
    return UAFApplication(id: normalized, formerIDs: text.isIdentical(to: normalized) ? [] : [text])
  }

  private static func invalid(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "uaf.facets", reason: "the facet ID \(what)")
  }
}

/// Whose keys they are.
struct UAFApplication: Hashable, Sendable {
  /// After resolution.
  let id: String
  /// Under which keys were made by versions that took the caller's text as it was.
  var formerIDs: [String] = []
}

extension String {
  /// Whether it begins so, the case of its ASCII letters aside.
  /// - Parameter prefix: in lower case.
  func begins(with prefix: String) -> Bool {
    utf8.starts(with: prefix.utf8) { byte, wanted in
      ((65...90).contains(byte) ? byte | 0x20 : byte) == wanted
    }
  }
}
