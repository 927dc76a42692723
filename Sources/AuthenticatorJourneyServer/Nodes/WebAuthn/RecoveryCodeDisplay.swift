internal import AuthenticatorCoding

/// Shows the recovery codes that have just been made, once; goes on at once when there are none.
public struct RecoveryCodeDisplay: TreeNode {
  public static let nodeType = "RecoveryCodeDisplayNode"
  public let outcomes: [NodeOutcome] = [.outcome]

  /// Where the codes, and the name of their device, stand in `NodeState.transient`.
  static let codesStateName = "recoveryCodes"
  static let deviceStateName = "recoveryCodeDeviceName"

  /// Whether browsers get a script that puts the codes into the page, as PingAM does, in place of text. Such a script
  /// is not for clients that are no browser.
  public var asScript: Bool

  /// Makes the node.
  public init(asScript: Bool = false) { self.asScript = asScript }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    let codes = (context.state.transient[Self.codesStateName]?.arrayValue ?? []).compactMap(\.stringValue)
    guard context.answers == nil, !codes.isEmpty else {
      context.state.transient[Self.codesStateName] = nil
      context.state.transient[Self.deviceStateName] = nil
      return .done(.outcome)
    }
    let device = context.state.transient[Self.deviceStateName]?.stringValue ?? WebAuthnDevice.standardName
    return .ask(asScript ? [.textOutput(Self.script(codes, device), messageType: 4)] : Self.texts(codes, device))
  }

  private static let heading = "Your Recovery Codes"
  private static let warning = "You must make a copy of these recovery codes. They cannot be displayed again."
  private static let use = "Use one of these codes to authenticate if you lose your device, which has been named: "

  private static func texts(_ codes: [String], _ device: String) -> [ServerCallback] {
    [
      .textOutput("\(heading)\n\(warning)", messageType: 1), .textOutput(codes.joined(separator: "\n")),
      .textOutput(use + device),
    ]
  }

  /// Readers find a code as a literal of its own that ends in a line break, and the device's name inside `em`.
  private static func script(_ codes: [String], _ device: String) -> String {
    let name = WebAuthnScript.literal(escaped(device)).dropFirst().dropLast()
    let lines = codes.map { "  \"<div class=\\\"text-center\\\">\\n\" +\n  \"\($0)\\n\" +\n  \"</div>\\n\" +" }
    return """
      var place = document.getElementById("wrapper").getElementsByTagName("fieldset")[0];
      place.innerHTML = "<h3>\(heading)</h3>" +
        "<h4>\(warning)</h4>" +
      \(lines.joined(separator: "\n"))
        "<p>\(use)<em>\(name)</em></p>" + place.innerHTML;
      """
  }

  /// The text inside an HTML element.
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
