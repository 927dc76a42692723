/// The bounds of what a client reads, keeps and waits for.
package enum UAFLimits {
  /// One message.
  package static let messageBytes = UAFRequest.maximumBytes
  /// One assertion.
  package static let assertionBytes = TLVElement.maximumBytes
  /// An application's ID, in UTF-8.
  package static let appIDBytes = 512
  /// Sets of a policy, and criteria that it rules out.
  package static let policyEntries = 1024
  /// Criteria of one set.
  package static let setCriteria = 64
  /// Ways of serving one policy.
  package static let policyChoices = 64
  /// Ways that a policy gives again, or of which no one user has all keys, before its rest is passed over.
  package static let policyRepetitions = 4096
  /// A transaction's text.
  package static let transactionCharacters = UAFTransaction.maximumTextCharacters
  /// A transaction's picture.
  package static let transactionImageBytes = UAFTransaction.maximumImageBytes
  /// A list of trusted facets.
  package static let facetListBytes = 256 * 1024
  /// Redirects on the way to one.
  package static let facetListRedirects = 5
  /// Lists that are kept.
  package static let facetLists = 64
  /// The longest that one is kept, whatever its headers say.
  package static let facetListAge = Duration.seconds(86_400)
  /// A certificate in a channel binding, in base64url; the limit of servers too.
  package static let tlsServerCertificateCharacters = 16 * 1024
  /// One operation with its prompts, unless an app says otherwise.
  package static let operationTime = Duration.seconds(120)
}
