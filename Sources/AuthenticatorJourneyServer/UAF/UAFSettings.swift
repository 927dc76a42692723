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
  /// The app's facets, web origins in the form of `UAFFacet`; nil: `linux:exe:` and each application id, and the
  /// server's own origin.
  public var facets: [String]?
  /// The versions of requests.
  public var versions: [UAFProtocolVersion] = [.uaf11]
  /// What requests ask for beyond the standard, such as `.userVerificationMethod`.
  public var extensions: [UAFRequestedExtension] = []
  /// The models that are known.
  public var models = UAFModels()
  /// Which authenticators may register and sign in; nil: every model that speaks one of the versions, alone.
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

  /// The facets of a server's own apps.
  static func facets(of applicationIDs: [String]) -> [String] { applicationIDs.map { "linux:exe:" + $0 } }

  /// The models that could answer a request in one of its versions.
  var speakingModels: [UAFModelStatement] {
    models.all.filter { $0.versions.contains(where: versions.contains) }
  }

  /// What requests admit where nothing else is said: the policy, or without one each of these models alone.
  var usualPolicy: UAFAcceptancePolicy { policy ?? UAFAcceptancePolicy(anyOf: speakingModels.map(\.aaid)) }

  /// More extensions than a message may hold.
  private static let maximumExtensions = 64

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
    case "extensions":
      let list = value.arrayValue ?? []
      let read = list.compactMap(UAFRequestedExtension.init(json:))
      guard (1...Self.maximumExtensions).contains(list.count), read.count == list.count,
        Set(read.map(\.id)).count == read.count
      else { throw error }
      extensions = read
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
