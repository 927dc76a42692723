import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorUAF
import TestCertificates
import Testing

/// Transactions: what is shown is what is signed.
extension CeremonyTests {
  @Test func showsTheTransactionAndSignsItsDecodedContent() async throws {
    let kit = try UAFKit()
    try await kit.register(.passcode, steps: .passcode(UAFKit.passcode))
    let message = UAFKit.authentication(.passcode, transaction: UAFKit.transaction("Pay 42.00 EUR to ACME"))
    let result = await kit.authenticate(message, steps: .approve, .passcode(UAFKit.passcode))
    let signed = try UAFKit.signed(result.message)
    #expect(signed.info.mode == .transactionConfirmed)
    #expect(signed.transactionContentHash == SHA256.hash(Array("Pay 42.00 EUR to ACME".utf8)))
    let shown = try #require(kit.prompts.first { $0.kind == .transaction })
    #expect(shown.content == "Pay 42.00 EUR to ACME")
    let refused = await kit.authenticate(message, steps: .refuse)
    #expect(refused.outcome == .canceled)
    #expect(refused.errorCode == .userCancelled)
  }

  @Test func confirmsNoTransactionSilently() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    let message = UAFKit.authentication(.silent, transaction: UAFKit.transaction("Pay"))
    let result = await kit.authenticate(message, steps: .approve)
    #expect(kit.prompts.isEmpty)
    #expect(result.outcome == .accessDenied)
    #expect(result.errorCode == .authenticatorAccessDenied)
  }

  @Test(
    arguments: [
      [["contentType": "text/plain", "content": .string(Base64URL.encode([UInt8](repeating: 65, count: 201)))]],
      [["contentType": "text/plain", "content": .string(Base64URL.encode(Array("größer".utf8)))]],
      [["contentType": "text/plain", "content": .string(Base64URL.encode([0x1B, 0x5B, 0x32, 0x4A]))]],
      [["contentType": "text/html", "content": "PGI-"]],
      [
        [
          "contentType": "image/png", "content": "AAAA",
          "tcDisplayPNGCharacteristics": [
            "width": 1, "height": 1, "bitDepth": 8, "colorType": 2, "compression": 0, "filter": 0, "interlace": 0,
          ],
        ]
      ],
    ] as [JSONValue])
  func refusesTransactionsThatCannotBeShown(_ transaction: JSONValue) async throws {
    let kit = try UAFKit()
    try await kit.register(.passcode, steps: .passcode(UAFKit.passcode))
    let shown = kit.prompts.count
    let result = await kit.authenticate(UAFKit.authentication(.passcode, transaction: transaction), steps: .approve)
    #expect(result.outcome == .invalidTransactionContent)
    #expect(result.errorCode == .invalidTransactionContent)
    #expect(kit.prompts.count == shown)
  }

  @Test(
    arguments: [
      [], [["contentType": "text/plain", "content": ""]], [["contentType": "text/plain"]],
      [["contentType": "text/plain", "content": "QQ=="]], [["contentType": "image/png", "content": "AAAA"]],
      [["contentType": "text/plain", "content": "QR"]], "text",
    ] as [JSONValue])
  func refusesMalformedTransactions(_ transaction: JSONValue) async throws {
    let kit = try UAFKit()
    try await kit.register(.passcode, steps: .passcode(UAFKit.passcode))
    let result = await kit.authenticate(UAFKit.authentication(.passcode, transaction: transaction), steps: .approve)
    #expect(result.outcome == .protocolError)
  }
}
