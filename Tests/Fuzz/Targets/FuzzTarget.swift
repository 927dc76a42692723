import AuthenticatorCoding
import AuthenticatorCore
import Foundation

/// A decoder that is given any bytes. It may refuse them; it may neither trap nor hang, nor break its own promise.
package struct FuzzTarget: Sendable {
  /// A promise that did not hold, such as a value that is not written back as it was read.
  package struct Broken: Error {
    package var promise: String
  }

  /// Names the target on the command line, and its file in the corpus.
  package var name: String
  /// The longest input worth trying.
  package var maximumLength: Int
  /// Throws `Broken`, and nothing else: refusals end inside.
  package var run: @Sendable ([UInt8]) async throws -> Void

  /// All targets, each of which `make fuzz` runs and the tests replay.
  package static let all: [FuzzTarget] = [
    .uafReceivedAssertion, .uafReceivedMessage,
    .json, .jws, .publicKey, .signature, .cbor, .attestationObject, .webAuthnJSON, .webAuthnStep, .certificate,
    .ctap2, .metadata, .journey, .server, .frontend, .uafAssertion, .uafMessage,
    .uafCommand, .uafCommandResponse, .uafFacets, .uafPicture, .store,
  ]

  /// The stored inputs, smallest first: base64, one a line, so that a corpus is one file.
  package func corpus() throws -> [[UInt8]] {
    guard let file = Bundle.module.url(forResource: "Corpus/\(name)", withExtension: "txt") else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }
    return try String(decoding: Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
      .map { try Base64.decode(String($0)) }
  }

  /// A corpus file of these inputs.
  package static func corpusFile(_ inputs: [[UInt8]]) -> String {
    Set(inputs).filter { !$0.isEmpty }.map { ($0.count, Base64.encode($0)) }.sorted { $0 < $1 }
      .map { $0.1 + "\n" }.joined()
  }
}

/// Throws when a promise does not hold.
func expect(_ condition: Bool, _ promise: String) throws {
  if !condition { throw FuzzTarget.Broken(promise: promise) }
}

/// Runs what may refuse its input, in the one vocabulary for that; anything else it throws breaks a promise.
func onlyAuthenticatorErrors(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let error as FuzzTarget.Broken {
    throw error
  } catch is AuthenticatorError {
    return
  } catch {
    throw FuzzTarget.Broken(promise: "a refusal is an AuthenticatorError, not \(type(of: error))")
  }
}
