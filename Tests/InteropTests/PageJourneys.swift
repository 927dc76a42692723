import AuthenticatorCoding
import AuthenticatorJourneyServer

/// Journeys that show the sign-in page what built-in ones do not: every callback on one page, texts that would be
/// markup, and parts that the page does not know.
enum PageJourneys {
  /// As a message, a prompt, a title and a user's name.
  static let hostile = #"<img src=x onerror="document.title='taken'"><script>alert(1)</script>&amp;"#

  static func all() throws -> [JourneyTree] { [try everything(), try longWait()] }

  private static func everything() throws -> JourneyTree {
    try JourneyTree("Everything") {
      TreeStep(
        "page",
        PageNode(header: hostile, description: "described " + hostile) {
          TextOutputNode(hostile)
          TextOutputNode("warned", messageType: 1)
          TextOutputNode("failed", messageType: 2)
          TextOutputNode("console.log('not for you')", messageType: 4)
          TextInputNode(name: "nickname", prompt: "Nickname " + hostile, defaultText: "none")
          HiddenValueNode(id: "trace", value: "42")
          MetadataNode(["hint": "plain"])
          FutureNode()
          ChoiceCollector(prompt: "Go on?", choices: ["Yes", "No"])
        }
      ).on("Yes", to: .failure).on("No", to: "answers")
      TreeStep("answers", AnswersNode()).next("pressed")
      TreeStep("pressed", PressedNode()).next("credentials")
      TreeStep(
        "credentials",
        PageNode {
          UsernameCollector()
          PasswordCollector()
        }
      ).next("check")
      TreeStep("check", DataStoreDecision()).on(.true, to: .success).on(.false, to: .failure)
    }
  }

  private static func longWait() throws -> JourneyTree {
    try JourneyTree("LongWait") {
      TreeStep("wait", PollingWait(seconds: 600, message: "This takes long", exitMessage: "Leave"))
        .on(PollingWait.done, to: .success).on(PollingWait.exited, to: .failure)
    }
  }
}

/// Asks something no client of today knows, and remembers whether it came back as it was sent.
private struct FutureNode: TreeNode {
  static let nodeType = "FutureNode"
  let outcomes: [NodeOutcome] = [.outcome]

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    let sent = try JSONValue.parse(#"{"a": [1, 1.0, 1e2, 12345678901234567890, null, true, "é\u0000"], "": {}}"#)
    guard let answer = context.answers?.first else {
      return .ask([
        ServerCallback("FutureCallback", output: ["more": sent], inputs: [.init("", sent), .init("x", 2.50)])
      ])
    }
    let isSame = answer.value() == sent && answer.value("x") == 2.50
    context.state.shared["future"] = isSame ? "unchanged" : "changed"
    return .done(.outcome)
  }
}

/// Tells the person what the page before was answered, above two buttons.
private struct AnswersNode: TreeNode {
  static let nodeType = "AnswersNode"
  let outcomes: [NodeOutcome] = [.outcome]

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    if let answers = context.answers {
      context.state.shared["pressed"] = .string("\(answers.last?.integer() ?? -1)")
      return .done(.outcome)
    }
    func answer(_ name: String) -> String { context.state.shared[name]?.stringValue ?? "" }
    let text = "nickname \(answer("nickname")), trace \(answer("trace")), choice No, future \(answer("future"))"
    return .ask([.textOutput(text), .confirmation(options: ["First", "Second"], defaultOption: 0)])
  }
}

/// Tells which of them was pressed.
private struct PressedNode: TreeNode {
  static let nodeType = "PressedNode"
  let outcomes: [NodeOutcome] = [.outcome]

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.answers == nil else { return .done(.outcome) }
    return .ask([.textOutput("pressed \(context.state.shared["pressed"]?.stringValue ?? "")")])
  }
}
