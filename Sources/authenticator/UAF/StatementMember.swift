import AuthenticatorCoding
import AuthenticatorUAF

/// Members of a metadata statement that say nothing to this device, in a file of its models: they may stand there as
/// `uaf discover --metadata` prints them. What this tool cannot do, or only a newer form says, is not passed over.
enum StatementMember {
  /// What is wrong with a member; nil: nothing.
  static func complaint(about name: String, _ value: JSONValue) -> String? {
    switch name {
    case "protocolFamily": value == "uaf" ? nil : "must be uaf"
    case "authenticationAlgorithms": "is of a newer form; give authenticationAlgorithm, a number"
    case "publicKeyAlgAndEncodings": "is of a newer form; give publicKeyAlgAndEncoding, a number"
    case "userVerificationDetails":
      methods(of: value) == nil ? "must be lists of objects with the number userVerification" : nil
    case "tcDisplayPNGCharacteristics": "is for displays that show pictures; this tool shows text"
    case "tcDisplayContentType": value == "text/plain" ? nil : "must be text/plain: this tool shows no pictures"
    case "supportedExtensions":
      value.arrayValue?.allSatisfy { $0["id"] == "fido.uaf.uvm" } == true ? nil : "has one that is unknown here"
    case "isKeyRestricted": value == true ? nil : "must be true: UAF keys sign nothing else"
    case "isFreshUserVerificationRequired": value.boolValue == nil ? malformed : nil
    case "icon": value.stringValue?.hasPrefix("data:image/png;base64,") == true ? nil : malformed
    case "legalHeader", "operatingEnv": value.stringValue == nil ? malformed : nil
    case "alternativeDescriptions": value.objectValue == nil ? malformed : nil
    case "cryptoStrength": value.intValue == nil ? malformed : nil
    case "attestationRootCertificates": value.arrayValue?.allSatisfy { $0.stringValue != nil } == true ? nil : malformed
    case "ecdaaTrustAnchors": value == [] ? nil : "must be empty: ECDAA is not supported"
    default: "is unknown"
    }
  }

  private static let malformed = "is malformed"

  /// All methods of `userVerificationDetails`; nil when it is malformed.
  static func methods(of details: JSONValue) -> UserVerificationMethods? {
    guard let combinations = details.arrayValue, !combinations.isEmpty else { return nil }
    var methods: UserVerificationMethods = []
    for combination in combinations {
      guard let descriptors = combination.arrayValue, !descriptors.isEmpty else { return nil }
      for descriptor in descriptors {
        guard let number = descriptor["userVerification"]?.intValue.flatMap(UInt32.init(exactly:)) else { return nil }
        methods.formUnion(UserVerificationMethods(rawValue: number))
      }
    }
    return methods
  }
}
