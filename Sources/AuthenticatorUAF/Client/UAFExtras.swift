import AuthenticatorCore

/// What an app passes along with an operation, for the client and its authenticators; none of it goes to the server,
/// and none of it is the message's own `exts`.
///
/// ```swift
/// let extras = UAFExtras([.fallback(title: "Use alternate authentication")])
/// let result = await client.authenticate(message, facetID: facet, extras: extras)
/// if result.outcome == .fallback { … }
/// ```
public struct UAFExtras: Hashable, Sendable {
  /// One thing that an app passes along.
  public struct Extension: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case fallback(title: String)
      case custom(id: String, data: String)
    }
    let kind: Kind

    /// A button in the biometric prompt that leads to the app's own alternative. Pressed, it ends an authentication
    /// with `UAFOutcome.fallback`. Registrations, and authenticators that take the passcode themselves, do not show it.
    /// An empty title is refused.
    public static func fallback(title: String) -> Extension { Extension(kind: .fallback(title: title)) }

    /// Something for a verifier, a responder, a view or an authenticator of the app's own: it finds it in
    /// `Prompt.extensions`. The package reads none of it.
    public static func custom(id: String, data: String) -> Extension { Extension(kind: .custom(id: id, data: data)) }
  }

  /// What is passed along, in order.
  public var extensions: [Extension]

  /// Nothing, unless said otherwise.
  public init(_ extensions: [Extension] = []) { self.extensions = extensions }

  /// The title of the fallback button; nil: there is none.
  public var fallbackTitle: String? {
    for one in extensions {
      if case .fallback(let title) = one.kind { return title }
    }
    return nil
  }

  /// What was passed along under a name of the app's own.
  public func data(for id: String) -> String? {
    for one in extensions {
      if case .custom(id, let data) = one.kind { return data }
    }
    return nil
  }

  /// What the app passes along to its own parts, by name; of two of one name, the first.
  var custom: [String: String] {
    var found: [String: String] = [:]
    for one in extensions {
      if case .custom(let id, let data) = one.kind, found[id] == nil { found[id] = data }
    }
    return found
  }

  /// - Throws: `invalidRequest` for an empty or second fallback title.
  func check() throws {
    let titles = extensions.compactMap { one in
      if case .fallback(let title) = one.kind { title } else { nil }
    }
    guard titles.count <= 1, titles.first?.isEmpty != true else {
      throw AuthenticatorError(
        .invalidRequest, stage: "uaf.extras", reason: "the fallback title is empty, or there are two")
    }
  }
}
