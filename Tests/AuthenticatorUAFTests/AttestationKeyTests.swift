import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorUAF
import TestCertificates
import Testing

/// Attestation keys that could not work are refused at the start, not after a scan.
struct AttestationKeyTests {
  @Test func refusesAnRSAAttestationKeyOfAnotherSize() throws {
    for algorithm in [UAFAlgorithm.rsaPSSSHA256Raw, .rsaPKCS1SHA256DER] {
      let key = try PrivateKey(pem: Self.rsa3072, algorithm: algorithm.signatureAlgorithm)
      do {
        _ = try UAFAttestationKey(key: key, algorithm: algorithm, chain: [[1]])
        Issue.record("taken")
      } catch let error as AuthenticatorError {
        #expect(error.code == .invalidRequest && error.reason == "the key is an RSA key of 3072 bits, not 2048")
      }
    }
  }

  @Test func refusesAChainThatNoAssertionHolds() async throws {
    let key = try PrivateKey.generate(.es256)
    var leaf = try TestCertificate(subject: [("2.5.4.3", "Vendor")], key: key)
    var (refused, taken) = (0, UAFKit?.none)
    for padding in stride(from: 3700, to: 3000, by: -2) where taken == nil {
      leaf.extensions = [("1.2.3.4", false, [UInt8](repeating: 4, count: padding))]
      let model = UAFAuthenticatorModel(
        aaid: try UAFKit.Model.state.aaid, behavior: .biometricWithState, attestationTypes: [.basicFull],
        attestationKey: try UAFAttestationKey(
          key: key, algorithm: .secp256r1ECDSASHA256Raw, chain: [try leaf.encoded()]))
      do {
        taken = try UAFKit { $0.authenticators = [model] }
      } catch let error as AuthenticatorError {
        #expect(error.code == .invalidRequest)
        #expect(error.reason.hasPrefix("FFFF#A002: attestationKey has too long a chain"))
        refused += 1
      }
    }
    #expect(refused > 10)
    // The longest that is taken fits with all that the model can report, and hardly more would.
    let kit = try #require(taken)
    kit.device.verifier.script([.match()])
    let header = UAFKit.header("Reg", exts: [["id": "fido.uaf.uvm", "data": "", "fail_if_unknown": true]])
    let response = try await kit.client.process(UAFKit.registration(.state, header: header), facetID: UAFKit.facet)
    #expect((4088...4096).contains(try UAFKit.assertion(response).count))
  }

  private static let rsa3072 = """
    -----BEGIN PRIVATE KEY-----
    MIIG/AIBADANBgkqhkiG9w0BAQEFAASCBuYwggbiAgEAAoIBgQDPXEjgcIGKCCip
    yfzAO088O51HMN5FJU0AR4XQHkXldZq94qRblj37OR01RIr+atbV0b5DEIercAtC
    W+cPOyxl6OjQ5Oexwq0GoHMRbjKk+gu1gXTO0vIPuhC7agoUE6pw4C2TZKGiRFp3
    tgWX5O0lVoiujyrNozBTUMUz74REWkhZia8lTQje3z6nnwHxqlNwB0Hjm5TlabtK
    6LnUKJYnXiqB7cc7eprDiwQSgmE3VF4rdLgarZIVE/ch9D+EXVSvrab8BoVSfwpy
    sVuA0nYnT6nSfJBS1i5JVSCAKgs2V9tAWItnCYUkHSMjP1Zh2qKGMx90l5ubPdEn
    7VGmnkpKkaVe5pEeOzLWujzJRs765jBL81QmkVuBA4tYI95V3IyrSh+MrTHThG8F
    jhrVuk5spzzNqlDRQPVD6LmY2N45ieBbt/AzX3gGl9hlgnVdftjAkVjdWlcmhz9J
    nOkBDhJ/BhFIyNeGWmd7rHwgT3jCMAc3tK+UtqSFLgfWcCtsSg8CAwEAAQKCAYAM
    x/Pn/ZdGckVLXdtZ3+382PHTSwRQP8HUxBPP5aXKRGryzE70JDkSzIzr1Rs6Hky6
    pjBzgsfR/dh70R1XV37fkzESeyF61/SBRY+CIgg2GgFxwRZ5jxADfyT74EfZv/KP
    /YlhneDGly76VPpYR/CEDibjl4h8X1QhtodJMbi129i8yBtHEc37qsf6XfcpNaXp
    8FCT3mmZkGBOeDTICm5i48977bOLi32RkvZ/y5CBcA5T4GBeqJcp/G6NpbfqiTQM
    LI1+Jr6uPNX6yhdKCI6OtNpH1VdAkAdCcv5TOvLYWbmIVnTLoBawIb/bj0Ye86jw
    pTRMe+RZw4/D7HXeEMSd8zHjRouhT9/QjVrqpmDzyKtyCapVExUeokYFlkOhhdmO
    ZTFvh2+qMuat+SCHvsq4UYig8lymLQ6pbdS7elcOschgH6NaE62l9+EAPQHm/Mbu
    jE5IMGNpQxzzZAurZBwmc7G34Al3h5cVuBdMEMDD056a0vwBCoe1P89w3Ylj+9kC
    gcEA7FxUTzfwWpzxGEakrV7QbT3F1rK/XL77y0+aLLMm+iEJWvZC+b5bgm0co/I1
    8jnB6GWWV7uFP7AvO5DaVifaS/wzb1i/FtsnqOdsS+lm/sMY7F8xyOP1fSZ826nz
    9U6Tm/sa8WsHAm/ee8PVGt3tLqxV+9q1k5kdIHKbATek/H+5mDm+HeZIi54oQlwM
    s/NLSpCiEJejse5wKXb68Du0fAjU5thBJht6R3Rv0voJz9Hw1gqiiv/Y9XPbCX2P
    yIQ5AoHBAOCXFlyPaJNnAzpIG1x5+qGtMJdVI5NeF6+4+6Yum8eRzQtALd4zudt1
    BlG6FlBFqDnKDbYWHevESnfFJErgi8UtvlXP/TIWzojZiLfXLFbpsQLKtSgx5s80
    0ejL2DPILVP1cwWbxBw86PQEeznPhGBH984aqsPee60siCdz8MSTUgW/8qoVe84m
    +IjtrhbKdOICTybWDjKfcytdma/fi+QCU6LyDhXnfqDMqNOOm46ftzqOhpaHgJJz
    gDCa4cMQhwKBwBmXhaluLSAijhhKzdnXwkmRvrIYeI/aPfktjUv5uearXQ/0Shww
    eEgO+GLn/t9TUaOQHE8zhqH2uaaBcKKTfhdsH0WXHlmjMRAgvqEZjIVZKoGtbP6L
    cDE00aAXLssIzwK8lZY+OGwTIMvV0GUwUlYTYtv6Ol7Y3UZ+Ijpng/2y9q180xD5
    tjEn1sQYo2d4mFZigqm5QYgqgQp8T39jd49WhXbZQ3SU1RCXkuQNHrLZ0HHchOz3
    9s3c1YKZjc/wQQKBwCwKFG10BYqZ8Y0VJKBenuHjJxsVq9My6Swg9t+gVhWtJmrl
    W9kthW1eJi4SclutPQ6P615gOd/Ibt3Lf5FbNK0miiMjlL+krz0wgtmhzOUCEB6/
    BwTpvBu3fM3MYwnMX+8Nu09HOw5ad0eaNVuhsJB8rD/zBLdBwjiz+cLavkSdqsDL
    4dauPcev5p5bFP8NFhxXXZP8922/zIKdaQyOpkzAlAvosRBkg3UejKBnX2N5OCG4
    XvXXfkO5eFKPnGN2swKBwH5OMmVYR5Tx/nNP2u9PjMy0+V85lnC3+QM2DybNHxZn
    7OTeNc9BE7EWQSQqGXjNaLWqfoG+ym9DEL50dtRHnPj+NVOap2muqI+Xm2bFtDyY
    LD3V0WlaIkNlZgIZCEM7pMjE5bvlvFles1jTw4+4ew/mIBVT0/kwk5WjjqYC/FKI
    libOtu1YsPPnWOwc1CHsxsI4FTCn0UY2Zj28347bRFUDnkwFHaI1yFxeBWRvFN9z
    /S98u3KNLNXoMAX+oD2JHA==
    -----END PRIVATE KEY-----
    """
}
