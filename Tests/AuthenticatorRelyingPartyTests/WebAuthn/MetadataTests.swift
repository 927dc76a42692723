import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates
import Testing

@Suite struct MetadataTests {
  /// A signed list; a test bends one part.
  struct TestBLOB {
    let root: TestCertificate
    var signer: TestCertificate
    var number: JSONValue = 12
    var nextUpdate: JSONValue = "2027-02-01"
    var entries: [JSONValue] = []
    var algorithm = "ES256"
    var chain: [[UInt8]]?

    init(
      model: [UInt8], statuses: [(String, String?)] = [("FIDO_CERTIFIED_L1", "2020-01-01")], roots: [[UInt8]] = [],
      attestationTypes: [JSONValue] = ["basic_full"]
    ) throws {
      root = try TestCertificate.authority("Metadata Root")
      signer = try TestCertificate(subject: [("2.5.4.3", "Metadata Signer")])
      let reports = statuses.map { status, date -> JSONValue in
        var report: JSONObject = ["status": .string(status)]
        if let date { report["effectiveDate"] = .string(date) }
        return .object(report)
      }
      let id = Hex.encode(model)
      let starts = [0, 8, 12, 16, 20, 32].map { id.index(id.startIndex, offsetBy: $0) }
      let uuid = zip(starts, starts.dropFirst()).map { String(id[$0..<$1]) }.joined(separator: "-")
      entries = [
        [
          "aaguid": .string(uuid), "statusReports": .array(reports), "timeOfLastStatusChange": "2020-01-01",
          "metadataStatement": [
            "description": "Model 1",
            "attestationTypes": .array(attestationTypes),
            "attestationRootCertificates": .array(roots.map { .string(Base64.encode($0)) }),
          ],
        ],
        ["aaid": "1234#5678", "statusReports": []],
      ]
    }

    func encoded() throws -> [UInt8] {
      let chain = try chain ?? [try signer.encoded(issuer: root)]
      let header: JSONObject = [
        "alg": .string(algorithm), "typ": "JWT", "x5c": .array(chain.map { .string(Base64.encode($0)) }),
      ]
      let payload: JSONObject = [
        "legalHeader": "text", "no": number, "nextUpdate": nextUpdate, "entries": .array(entries),
      ]
      let input = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(payload.serialized())
      let signature = try signer.key.sign(Array(input.utf8)).rawRepresentation
      return Array("\(input).\(Base64URL.encode(signature))\n".utf8)
    }

    func read(_ roots: [X509Certificate]? = nil, at time: Int64 = Ceremony.now, minimumNumber: Int = 0) throws
      -> MetadataBLOB
    {
      let roots = try TrustAnchors(try roots ?? [try root.certificate()])
      return try MetadataBLOB(jws: try encoded(), roots: roots, at: time, minimumNumber: minimumNumber)
    }
  }

  private let model = [UInt8](repeating: 0xA0, count: 16)

  @Test func readsASignedList() throws {
    let blob = try TestBLOB(model: model).read()
    #expect(blob.number == 12)
    #expect(blob.nextUpdate == "2027-02-01")
    #expect(blob.count == 1)
    let entry = try #require(blob.entry(aaguid: model))
    #expect(entry.modelDescription == "Model 1")
    #expect(entry.statusReports.map(\.status.rawValue) == ["FIDO_CERTIFIED_L1"])
    #expect(blob.entry(aaguid: [UInt8](repeating: 1, count: 16)) == nil)
  }

  @Test func refusesWhatMayNotBeBelieved() throws {
    let valid = try TestBLOB(model: model)
    #expect(throws: MetadataError.untrusted) { try valid.read([try TestCertificate.authority().certificate()]) }
    #expect(throws: MetadataError.rolledBack) { try valid.read(minimumNumber: 13) }
    #expect(try valid.read(minimumNumber: 12).number == 12)
    // The list holds through the day the next one is due: 2027-02-01.
    #expect(try valid.read(at: 1_801_439_999).number == 12)
    #expect(throws: MetadataError.expired) { try valid.read(at: 1_801_526_400) }
    #expect(throws: MetadataError.expired) { try valid.read(at: 1_600_000_000) }

    var bent = valid
    bent.algorithm = "ES384"
    #expect(throws: MetadataError.signatureInvalid) { try bent.read() }
    bent = valid
    let stranger = try TestCertificate(subject: [("2.5.4.3", "Metadata Signer")])
    bent.chain = [try stranger.encoded(issuer: bent.root)]
    #expect(throws: MetadataError.signatureInvalid) { try bent.read() }
    for bend in [
      { $0.number = "12" }, { $0.nextUpdate = "2027-13-01" }, { $0.nextUpdate = "soon" }, { $0.chain = [] },
      { $0.chain = [[1, 2, 3]] }, { $0.entries = [["aaguid": "x", "statusReports": []]] },
      { $0.entries = [["aaguid": "00000000-0000-0000-0000-000000000001"]] },
    ] as [(inout TestBLOB) -> Void] {
      var bent = valid
      bend(&bent)
      #expect(throws: MetadataError.malformed) { try bent.read() }
    }
  }

  @Test func refusesEveryPrefixAndEveryChangedByte() throws {
    let valid = try TestBLOB(model: model)
    let bytes = try valid.encoded().dropLast()
    let roots = try TrustAnchors([try valid.root.certificate()])
    for count in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: MetadataError.self) {
        try MetadataBLOB(jws: Array(bytes.prefix(count)), roots: roots, at: Ceremony.now)
      }
    }
    for index in stride(from: 0, to: bytes.count, by: 5) {
      var flipped = Array(bytes)
      flipped[index] ^= 1
      #expect(throws: MetadataError.self) { try MetadataBLOB(jws: flipped, roots: roots, at: Ceremony.now) }
    }
  }
}
