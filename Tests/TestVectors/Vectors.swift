import Foundation

/// Reads a vector file that ships with the tests.
public enum Vectors {
  /// The bytes of `Data/<name>`; throws when the file is missing, so that no suite passes for want of its data.
  public static func bytes(_ name: String) throws -> [UInt8] {
    guard let url = Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Data") else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }
    return [UInt8](try Data(contentsOf: url))
  }
}
