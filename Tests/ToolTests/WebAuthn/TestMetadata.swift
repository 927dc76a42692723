import AuthenticatorCoding
import AuthenticatorCrypto
import TestCertificates
import ToolSupport

/// FIDO's list with one model, signed by a list signer of its own.
struct TestMetadata {
  private let signer: TestCertificate
  private let authority: TestCertificate
  private let payload: JSONObject

  init(knowing model: [UInt8], root: String, status: String = "FIDO_CERTIFIED", nextUpdate: String = "2099-01-01")
    throws
  {
    authority = try TestCertificate.authority("Metadata Root")
    signer = try TestCertificate(subject: [("2.5.4.3", "Metadata Signer")])
    var name = Hex.encode(model)
    for place in [20, 16, 12, 8] { name.insert("-", at: name.index(name.startIndex, offsetBy: place)) }
    let vouching = try X509Certificate.certificates(pem: root).map {
      JSONValue.string(Base64.encode($0.derRepresentation))
    }
    payload = [
      "no": 1, "nextUpdate": .string(nextUpdate),
      "entries": [
        [
          "aaguid": .string(name), "statusReports": [["status": .string(status)]],
          "metadataStatement": ["description": "Model", "attestationRootCertificates": .array(vouching)],
        ]
      ],
    ]
  }

  /// - Returns: the file with the certificate that vouches for the list.
  @discardableResult
  func write(in folder: TemporaryFolder, _ name: String = "blob.jwt") throws -> String {
    let header: JSONObject = [
      "alg": "ES256", "typ": "JWT", "x5c": [.string(Base64.encode(try signer.encoded(issuer: authority)))],
    ]
    let input = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(payload.serialized())
    let signature = try signer.key.sign(Array(input.utf8)).rawRepresentation
    try folder.write(name, "\(input).\(Base64URL.encode(signature))")
    return try folder.write(name + ".pem", try authority.certificate().pemRepresentation)
  }
}
