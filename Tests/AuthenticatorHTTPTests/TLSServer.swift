import AuthenticatorCoding
import Foundation

/// `openssl s_server` with a certificate made for the test; answers every GET with 200.
final class TLSServer {
  struct Failure: Error { var what: String }

  let port: Int
  /// The certificate, self-signed for `localhost`, as a PEM file.
  let certificateFile: String
  /// The SHA-256 of its public key.
  let pin: [UInt8]
  private let process = Process()
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "authenticator-tls-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    certificateFile = folder + "/certificate.pem"
    let key = folder + "/key.pem"
    _ = try Self.openssl([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
      "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificateFile,
    ])
    let publicKey = folder + "/public.der"
    _ = try Self.openssl(["pkey", "-in", key, "-pubout", "-outform", "DER", "-out", publicKey])
    let digest = try Self.openssl(["dgst", "-sha256", "-r", publicKey])
    pin = try Hex.decode(String(digest.prefix(64)))

    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", certificateFile, "-key", key, "-www"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    var text = ""
    while true {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Failure(what: "s_server ended: \(text)") }
      text += String(decoding: data, as: UTF8.self)
      if let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT ") }), text.hasSuffix("\n"),
        let port = line.split(separator: ":").last.flatMap({ Int($0) })
      {
        self.port = port
        break
      }
    }
  }

  deinit {
    // The child may have inherited a signal mask that holds back the polite signals.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    do { try FileManager.default.removeItem(atPath: folder) } catch {}
  }

  private static func openssl(_ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(what: arguments.first ?? "") }
    return String(decoding: data, as: UTF8.self)
  }
}
