import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct NodeTests {
  /// A tree of one node whose outcome under test leads to a text, and every other one to failure.
  private func harness(
    _ node: any TreeNode, expecting outcome: NodeOutcome, password: Bool = false
  ) async throws -> Harness {
    let tree = try JourneyTree("Node") {
      if password {
        TreeStep(
          "credentials",
          PageNode {
            UsernameCollector()
            PasswordCollector()
          }
        ).next("check")
        TreeStep("check", DataStoreDecision()).on(.true, to: "node").on(.false, to: .failure)
      }
      TreeStep("node", node).on(outcome, to: "reached").otherwise(.failure)
      TreeStep("reached", TextOutputNode("reached")).next(.failure)
    }
    return try await Harness(journeys: [tree])
  }

  private func isReached(_ answer: Answer) -> Bool { answer.output(0, "message") == "reached" }

  @Test(arguments: [(0, "true"), (1, "false"), (100, "false")] as [(JSONValue, NodeOutcome)])
  func messageEndsWithTheButton(value: JSONValue, outcome: NodeOutcome) async throws {
    let harness = try await harness(MessageNode("Go?", yes: "On", no: "Off"), expecting: outcome)
    let page = try await harness.start("Node")
    #expect(page.types == ["TextOutputCallback", "ConfirmationCallback"])
    #expect(page.output(0, "messageType") == "0")
    #expect(page.output(1, "options") == ["On", "Off"])
    #expect(page.output(1, "optionType") == -1)
    #expect(isReached(try await harness.post(page.filled([1: ["": value]]))))
  }

  @Test func choiceSendsItsDefault() async throws {
    let node = ChoiceCollector(prompt: "Which?", choices: ["a", "b"], defaultChoice: "b")
    let harness = try await harness(node, expecting: "b")
    let page = try await harness.start("Node")
    #expect(page.output(0, "prompt") == "Which?")
    #expect(page.output(0, "choices") == ["a", "b"])
    #expect(page.output(0, "defaultChoice") == 1)
    // Untouched, the field holds the default.
    #expect(isReached(try await harness.post(page.body)))
  }

  @Test func retryLimitCountsItsVisits() async throws {
    let tree = try JourneyTree("Retry") {
      TreeStep("retry", RetryLimitDecision(limit: 2))
        .on(RetryLimitDecision.retry, to: "again").on(RetryLimitDecision.reject, to: .failure)
      TreeStep("again", TextOutputNode("again")).next("retry")
    }
    let harness = try await Harness(journeys: [tree])
    let first = try await harness.start("Retry")
    let second = try await harness.post(first.body)
    #expect(second.types == ["TextOutputCallback"])
    #expect(try await harness.post(second.body).status == 401)
  }

  @Test func pollingWaitsInMillisecondsAsText() async throws {
    let harness = try await harness(PollingWait(seconds: 5, message: "Hold on"), expecting: PollingWait.done)
    let page = try await harness.start("Node")
    #expect(page.types == ["PollingWaitCallback"])
    #expect(page.output(0, "waitTime") == "5000")
    #expect(page.output(0, "message") == "Hold on")
    #expect(isReached(try await harness.post(page.body)))
  }

  @Test(arguments: [(0, PollingWait.exited), (100, PollingWait.done)] as [(JSONValue, NodeOutcome)])
  func pollingCanBeLeft(value: JSONValue, outcome: NodeOutcome) async throws {
    let harness = try await harness(PollingWait(seconds: 5, exitMessage: "Leave"), expecting: outcome)
    let page = try await harness.start("Node")
    #expect(page.types == ["PollingWaitCallback", "ConfirmationCallback"])
    #expect(isReached(try await harness.post(page.filled([1: ["": value]]))))
  }

  @Test func pollingNoticesSpam() async throws {
    let node = PollingWait(seconds: 5, detectsSpam: true, toleratedSpam: 1)
    let harness = try await harness(node, expecting: PollingWait.spam)
    let page = try await harness.start("Node")
    let again = try await harness.post(page.body)
    #expect(again.types == ["PollingWaitCallback"])
    #expect(isReached(try await harness.post(again.body)))
    let patient = try await harness.start("Node")
    harness.clock.advance(by: 5)
    #expect(try await harness.post(patient.body).status == 401)
  }

  @Test func hiddenValueIsSentWithItsIDAndKept() async throws {
    struct Check: TreeNode {
      static let nodeType = "Check"
      let outcomes: [NodeOutcome] = [.true, .false]
      func process(_ context: inout NodeContext) async throws -> NodeResult {
        .done(context.state.shared["field"] == "answer" ? .true : .false)
      }
    }
    let tree = try JourneyTree("Hidden") {
      TreeStep("hidden", HiddenValueNode(id: "field", value: "42")).next("check")
      TreeStep("check", Check()).on(.true, to: "reached").on(.false, to: .failure)
      TreeStep("reached", TextOutputNode("reached")).next(.failure)
    }
    let harness = try await Harness(journeys: [tree])
    let page = try await harness.start("Hidden")
    #expect(page.output(0, "value") == "42")
    #expect(page.output(0, "id") == "field")
    #expect(page.body["callbacks"]?[0]?["input"] == [["name": "IDToken1", "value": "field"]])
    #expect(isReached(try await harness.post(page.filled([0: ["": "answer"]]))))
  }

  @Test func metadataAsksNothing() async throws {
    let harness = try await harness(MetadataNode(["stage": "old", "n": 1]), expecting: .outcome)
    let page = try await harness.start("Node")
    #expect(page.output(0, "data") == ["stage": "old", "n": 1])
    #expect(page.body["callbacks"]?[0]?["input"] == nil)
    #expect(isReached(try await harness.post(page.body)))
  }

  @Test func textInputCarriesItsDefault() async throws {
    let harness = try await harness(TextInputNode(name: "n", prompt: "Nick", defaultText: "none"), expecting: .outcome)
    let page = try await harness.start("Node")
    #expect(page.output(0, "defaultText") == "none")
    #expect(page.body["callbacks"]?[0]?["input"] == [["name": "IDToken1", "value": "none"]])
    #expect(isReached(try await harness.post(page.body)))
  }

  @Test func usernameIsAskedAgainWhenEmptyOrTooLong() async throws {
    let harness = try await harness(UsernameCollector(), expecting: .outcome)
    var page = try await harness.start("Node")
    for name in ["", String(repeating: "x", count: 257)] {
      page = try await harness.post(page.filled([0: ["": .string(name)]]))
      #expect(page.types == ["NameCallback"])
    }
    #expect(isReached(try await harness.post(page.filled([0: ["": "mira"]]))))
  }

  @Test func pageEndsWithTheOutcomeOfItsDecider() async throws {
    let node = PageNode(stage: "s", header: "h", description: "d") {
      TextOutputNode("hello")
      ChoiceCollector(prompt: "?", choices: ["left", "right"])
      HiddenValueNode(id: "x")
    }
    #expect(node.outcomes == ["left", "right"])
    let harness = try await harness(node, expecting: "right")
    let page = try await harness.start("Node")
    #expect(page.types == ["TextOutputCallback", "ChoiceCallback", "HiddenValueCallback"])
    #expect(page.body["stage"] == "s" && page.body["header"] == "h" && page.body["description"] == "d")
    #expect(isReached(try await harness.post(page.filled([1: ["": 1]]))))
  }

  @Test func pageIsAskedAgainWhenOneOfItsNodesIs() async throws {
    let harness = try await Harness()
    let page = try await harness.start("Login")
    let again = try await harness.post(harness.credentials(page, "", "x"))
    #expect(again.types == ["NameCallback", "PasswordCallback"])
    #expect(again.body["stage"] == "UsernamePassword")
    #expect(try await harness.post(harness.credentials(again)).token != nil)
  }

  @Test func dataStoreForgetsThePasswordItUsed() async throws {
    struct Check: TreeNode {
      static let nodeType = "Check"
      let outcomes: [NodeOutcome] = [.true, .false]
      func process(_ context: inout NodeContext) async throws -> NodeResult {
        .done(context.state.transient.isEmpty && context.state.username == "mira" ? .true : .false)
      }
    }
    let harness = try await harness(Check(), expecting: .true, password: true)
    let page = try await harness.start("Node")
    // The name is found without regard to case and kept as it is stored.
    #expect(isReached(try await harness.post(harness.credentials(page, "MIRA"))))
  }

  // MARK: Suspend

  @Test func suspendsUntilTheLinkIsFollowed() async throws {
    let harness = try await Harness { $0.publicURL = "https://id.example.com/am" }
    let name = try await harness.start("Suspend")
    let parked = try await harness.post(name.filled([0: ["": "mira"]]))
    #expect(parked.status == 200)
    #expect(parked.types == ["SuspendedTextOutputCallback"])
    #expect(parked.body["callbacks"]?[0]?["input"] == nil)
    #expect(parked.authID != nil)
    let link = try #require(harness.links.all.first)
    #expect(
      link.url == "https://id.example.com/am/json/realms/root/realms/alpha/authenticate?suspendedId="
        + link.suspendedID)
    #expect(link.username == "mira")
    // Posting the step instead leads nowhere.
    #expect(try await harness.post(parked.body).status == 400)

    let back = try await harness.send(
      "POST", Harness.base + "/authenticate", query: "suspendedId=\(link.suspendedID)", body: Array("{}".utf8))
    #expect(back.types == ["PasswordCallback"])
    #expect(try await harness.post(back.filled([0: ["": .string(Harness.password)]])).token != nil)

    let again = try await harness.send(
      "POST", Harness.base + "/authenticate", query: "suspendedId=\(link.suspendedID)")
    #expect(again.status == 401)
    #expect(
      again.message
        == "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: Token not found. "
        + "It may have expired.")
  }

  @Test func linksExpireAndBelongToTheirRealm() async throws {
    let harness = try await Harness()
    for realm in ["/am/json/realms/root", Harness.base] {
      let name = try await harness.start("Suspend")
      _ = try await harness.post(name.filled([0: ["": "mira"]]))
      let link = try #require(harness.links.all.last)
      if realm == Harness.base { harness.clock.advance(by: 900) }
      let query = "suspendedId=\(link.suspendedID)"
      #expect(try await harness.send("POST", realm + "/authenticate", query: query).status == 401)
      // Tried in the wrong place it is not used up.
      if realm != Harness.base {
        #expect(try await harness.send("POST", Harness.base + "/authenticate", query: query).status == 200)
      }
    }
    let nonsense = try await harness.send("POST", Harness.base + "/authenticate", query: "suspendedId=nonsense")
    #expect(nonsense.status == 401)
  }

  @Test func bindsNothingToALinkThatCannotBeDelivered() async throws {
    let harness = try await Harness { $0.deliver = nil }
    let name = try await harness.start("Suspend")
    #expect(try await harness.post(name.filled([0: ["": "mira"]])).status == 500)
  }

  @Test func letsOneOfManyFollowersThrough() async throws {
    let harness = try await Harness()
    let name = try await harness.start("Suspend")
    _ = try await harness.post(name.filled([0: ["": "mira"]]))
    let id = try #require(harness.links.all.first?.suspendedID)
    let winners = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await harness.send("POST", Harness.base + "/authenticate", query: "suspendedId=\(id)").status
        }
      }
      return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
    }
    #expect(winners == 1)
  }
}
