public import AuthenticatorCoding
internal import AuthenticatorCore
public import AuthenticatorRelyingParty

/// What a server does about FIDO UAF, at its addresses and in journeys. Without models it does nothing.
public struct UAFSettings: Sendable {
  /// The realm whose users the addresses are for; nil: the server's first.
  public var realm: Realm?
  /// The app's name in requests; nil: the address of the facet list where the server is reached by https, and none
  /// elsewhere, so that clients take their facet's name.
  public var appID: String?
  /// The app's facets, web origins in the form of `UAFFacet`; nil: `linux:exe:` and each application id, and the server's own origin.
  public var facets: [String]?
  /// The versions of requests.
  public var versions: [UAFProtocolVersion] = [.uaf11]
  /// The models that are known.
  public var models = UAFModels()
  /// Which authenticators may register and sign in; nil: every model that is known, alone.
  public var policy: UAFAcceptancePolicy?
  /// What is done when the set of enrolled fingers or faces has changed.
  public var enrollmentPolicy = UAFExpectation.EnrollmentPolicy.stepUp
  /// What is done when a counter did not rise.
  public var signCounterPolicy = UAFExpectation.SignCounterPolicy.reject
  /// How far registration counters may be ahead of the highest one that is known of the user's keys of the model; more
  /// registrations are not believed.
  public var maximumRegistrationCounter: UInt32 = 65_535
  /// How long a request waits for its response.
  public var requestLifetime: Duration = .seconds(300)
  /// Keys of one user.
  public var quota = 10
  /// What a person confirms when a transaction is asked for and no node says another text.
  public var transactionText = "Confirm this transaction?"

  /// The defaults, and no models.
  public init() {}
}

extension UAFSettings {
  /// Reads a settings file: a JSON object with `"version": 1`, `metadata` (statements) and any of the other settings
  /// under the names of the properties; `requestLifetime` in whole seconds, `versions` as `"1.1"`. What is left out has
  /// its default.
  ///
  /// Throws `ExpectationError`, which names the member.
  public init(json: JSONValue) throws(ExpectationError) {
    self.init()
    guard let object = json.objectValue else { throw ExpectationError("") }
    guard object["version"] == 1 else { throw ExpectationError("version") }
    guard object["metadata"] != nil else { throw ExpectationError("metadata") }
    for member in object where member.name != "version" { try take(member.name, member.value) }
    try checkThatSomebodyCanSignIn()
  }

  /// Refuses settings with which nothing could ever succeed.
  private func checkThatSomebodyCanSignIn() throws(ExpectationError) {
    guard !models.isEmpty else { throw ExpectationError("metadata") }
    let speaking = models.all.filter { !$0.versions.allSatisfy { !versions.contains($0) } }
    guard !speaking.isEmpty else { throw ExpectationError("versions") }
    if let policy {
      for (place, set) in policy.accepted.enumerated() {
        for (index, criterion) in set.enumerated() {
          let path = "policy.accepted.\(place).\(index)"
          guard criterion.aaids?.allSatisfy({ models[$0] != nil }) ?? true else {
            throw ExpectationError(path + ".aaid")
          }
          // Keys have names only where somebody is known.
          guard criterion.keyIDs == nil else { throw ExpectationError(path + ".keyIDs") }
          let isServed = speaking.contains { model in
            let candidate = UAFCandidate(model)
            return policy.admits(candidate) && criterion.matches(candidate)
          }
          guard isServed else { throw ExpectationError(path) }
        }
        // Each criterion needs a model of its own: a client never has two authenticators of one.
        let alone = UAFAcceptancePolicy(accepted: [set], disallowed: policy.disallowed)
        guard alone.match(speaking.map { UAFCandidate($0) }) != nil else {
          throw ExpectationError("policy.accepted.\(place)")
        }
      }
    }
    if let appID, !Self.isApp(appID, facets) { throw ExpectationError("appID") }
  }

  /// An https address, or one of the facets, whose only app it then is.
  private static func isApp(_ text: String, _ facets: [String]?) -> Bool {
    guard text.lowercased().hasPrefix("https:") else {
      return UAFFacet.normalized(text) != nil && facets?.contains(text) ?? true
    }
    return (try? WebURL(text)) != nil
  }

  private mutating func take(_ name: String, _ value: JSONValue) throws(ExpectationError) {
    let error = ExpectationError(name)
    switch name {
    case "metadata": models = try UAFModels(json: value, thatAttest: true)
    case "policy": policy = try UAFAcceptancePolicy(json: value, strict: false)
    case "realm":
      guard let realm = value.stringValue.flatMap(Realm.init) else { throw error }
      self.realm = realm
    case "appID":
      guard let text = value.stringValue, (1...512).contains(text.unicodeScalars.count) else { throw error }
      appID = text
    case "facets":
      let texts = (value.arrayValue ?? []).compactMap(\.stringValue)
      guard (1...100).contains(texts.count), texts.count == value.arrayValue?.count else { throw error }
      facets = try texts.enumerated().map { index, text throws(ExpectationError) in
        guard let facet = UAFFacet.normalized(text) else { throw ExpectationError("facets.\(index)") }
        return facet
      }
    case "versions":
      let known: [String: UAFProtocolVersion] = ["1.0": .uaf10, "1.1": .uaf11]
      let versions = (value.arrayValue ?? []).compactMap { $0.stringValue.flatMap { known[$0] } }
      guard !versions.isEmpty, versions.count == value.arrayValue?.count, Set(versions).count == versions.count else {
        throw error
      }
      self.versions = versions
    case "enrollmentPolicy":
      guard let word = value.stringValue.flatMap(UAFExpectation.EnrollmentPolicy.init(rawValue:)) else { throw error }
      enrollmentPolicy = word
    case "signCounterPolicy":
      guard let word = value.stringValue.flatMap(UAFExpectation.SignCounterPolicy.init(rawValue:)) else { throw error }
      signCounterPolicy = word
    case "maximumRegistrationCounter":
      guard let number = value.intValue.flatMap({ UInt32(exactly: $0) }) else { throw error }
      maximumRegistrationCounter = number
    case "requestLifetime":
      guard let seconds = value.intValue, (1...3600).contains(seconds) else { throw error }
      requestLifetime = .seconds(seconds)
    case "quota":
      guard let number = value.intValue, (1...1000).contains(number) else { throw error }
      quota = number
    case "transactionText":
      guard let text = value.stringValue, (try? UAFTransactionContent(text: text)) != nil else { throw error }
      transactionText = text
    default: throw ExpectationError(name, isUnknown: true)
    }
  }
}
