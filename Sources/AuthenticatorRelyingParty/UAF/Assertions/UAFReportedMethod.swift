import AuthenticatorCoding

/// The extensions that are known here.
public enum UAFExtensionID {
  /// Reports the methods of verification that were used (Registry of Predefined Values, "User Verification Method").
  public static let userVerificationMethod = "fido.uaf.uvm"

  /// All of them.
  public static let known: Set<String> = [userVerificationMethod]
}

/// How somebody was verified, as the authenticator reports in the signed extension `fido.uaf.uvm`.
public struct UAFReportedMethod: Hashable, Sendable {
  /// One flag of a method.
  public let userVerification: UInt32
  /// Flags of where the key lives.
  public let keyProtection: UInt16
  /// Flags of where people are compared.
  public let matcherProtection: UInt16

  /// What the extension says of one operation: entries of 8 bytes each.
  ///
  /// Throws `assertionMalformed` for two such extensions, or one of another length.
  static func all(in elements: UAFElements) throws(UAFVerificationError) -> [UAFReportedMethod] {
    let found = try elements.extensionData(UAFExtensionID.userVerificationMethod)
    guard let data = found.first else { return [] }
    let malformed = UAFVerificationError(.assertionMalformed, "the reported methods are none")
    guard found.count == 1, (8...64).contains(data.count), data.count.isMultiple(of: 8) else { throw malformed }
    var reader = ByteReader(data)
    var methods: [UAFReportedMethod] = []
    do throws(ByteReaderError) {
      for _ in 0..<data.count / 8 {
        methods.append(
          UAFReportedMethod(
            userVerification: try reader.readUInt32(order: .littleEndian),
            keyProtection: try reader.readUInt16(order: .littleEndian),
            matcherProtection: try reader.readUInt16(order: .littleEndian)))
      }
    } catch { throw malformed }
    return methods
  }

  var json: JSONValue {
    [
      "userVerification": .integer(Int64(userVerification)), "keyProtection": .integer(Int64(keyProtection)),
      "matcherProtection": .integer(Int64(matcherProtection)),
    ]
  }
}
