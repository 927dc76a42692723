import AuthenticatorCoding
import AuthenticatorJourneyServer
import Foundation
import Testing

@Suite struct JourneyTreeTests {
  @Test func refusesTreesThatLeadNowhere() {
    #expect(throws: JourneyTreeError(tree: "T", .empty)) { try JourneyTree("T") {} }
    #expect(throws: JourneyTreeError(tree: "", .invalidName)) {
      try JourneyTree("") { TreeStep("a", UsernameCollector()).next(.success) }
    }
    #expect(throws: JourneyTreeError(tree: "T", .unknownDestination(step: "a", destination: "b"))) {
      try JourneyTree("T") { TreeStep("a", UsernameCollector()).next("b") }
    }
    #expect(throws: JourneyTreeError(tree: "T", .outcomeNotWired(step: "a", outcome: "false"))) {
      try JourneyTree("T") { TreeStep("a", DataStoreDecision()).on(.true, to: .success) }
    }
    #expect(throws: JourneyTreeError(tree: "T", .outcomeWiredTwice(step: "a", outcome: "outcome"))) {
      try JourneyTree("T") { TreeStep("a", UsernameCollector()).next(.success).next(.failure) }
    }
    #expect(throws: JourneyTreeError(tree: "T", .unknownOutcome(step: "a", outcome: "maybe"))) {
      try JourneyTree("T") { TreeStep("a", UsernameCollector()).next(.success).on("maybe", to: .failure) }
    }
    #expect(throws: JourneyTreeError(tree: "T", .duplicateStep("a"))) {
      try JourneyTree("T") {
        TreeStep("a", UsernameCollector()).next(.success)
        TreeStep("a", UsernameCollector()).next(.success)
      }
    }
  }

  @Test func endsTreesThatGoInCircles() async throws {
    struct Pass: TreeNode {
      static let nodeType = "Pass"
      let outcomes: [NodeOutcome] = [.outcome]
      func process(_ context: inout NodeContext) async throws -> NodeResult { .done(.outcome) }
    }
    let tree = try JourneyTree("Circle") {
      TreeStep("a", Pass()).next("b")
      TreeStep("b", Pass()).next("a")
    }
    let harness = try await Harness(journeys: [tree])
    #expect(try await harness.start("Circle").status == 500)
    #expect(harness.events.all == [.fault("b of the tree Circle goes in circles")])
  }

  @Test func endsNodesThatBreakTheirWord() async throws {
    struct Liar: TreeNode {
      static let nodeType = "Liar"
      let outcomes: [NodeOutcome] = [.outcome]
      func process(_ context: inout NodeContext) async throws -> NodeResult { .done("surprise") }
    }
    struct Mute: TreeNode {
      static let nodeType = "Mute"
      let outcomes: [NodeOutcome] = [.outcome]
      func process(_ context: inout NodeContext) async throws -> NodeResult { .ask([]) }
    }
    for node in [Liar(), Mute()] as [any TreeNode] {
      let harness = try await Harness(journeys: [try JourneyTree("T") { TreeStep("a", node).next(.success) }])
      #expect(try await harness.start("T").status == 500)
    }
  }

  @Test func successNeedsAUser() async throws {
    let tree = try JourneyTree("Nobody") { TreeStep("a", TextOutputNode("hi")).next(.success) }
    let harness = try await Harness(journeys: [tree])
    let page = try await harness.start("Nobody")
    #expect(try await harness.post(page.body).status == 401)
  }

  @Test func builtInJourneysAreDescribedAndWhole() throws {
    #expect(try BuiltInJourneys.all().map(\.name) == BuiltInJourneys.descriptions.map(\.name))
  }
}

@Suite struct TreeImportTests {
  static let success = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
  static let failure = "e301438c-0bd0-429c-ab0c-66126501069a"

  /// A login as an administrator's export holds it.
  static let login: JSONObject = [
    "tree": [
      "_id": "Login", "entryNodeId": "p", "enabled": true, "uiConfig": [:],
      "nodes": [
        "p": ["displayName": "Page", "nodeType": "PageNode", "x": 1, "y": 2, "connections": ["outcome": "d"]],
        "d": [
          "displayName": "Data Store", "nodeType": "DataStoreDecisionNode",
          "connections": ["true": .string(success), "false": .string(failure)],
        ],
      ],
      "staticNodes": ["startNode": ["x": 50, "y": 25]],
    ],
    "nodes": [
      "p": [
        "_id": "p",
        "nodes": [
          ["_id": "u", "displayName": "Name", "nodeType": "UsernameCollectorNode"],
          ["_id": "w", "displayName": "Password", "nodeType": "PasswordCollectorNode"],
        ], "pageHeader": ["fr": "Bonjour", "en": "Hello"], "pageDescription": [:], "stage": "one",
        "_type": ["_id": "PageNode", "name": "Page Node", "collection": true],
      ],
      "d": ["_id": "d", "_type": ["_id": "DataStoreDecisionNode"]],
    ],
    "innerNodes": ["u": ["_id": "u"], "w": ["_id": "w"]],
  ]

  private func read(_ objects: JSONObject...) throws -> [TreeImport.ImportedTree] {
    try TreeImport().read(objects.enumerated().map { ("file\($0)", JSONValue.object($1).serialized()) })
  }

  /// A tree of one node between the ends.
  private func single(
    _ type: String, settings: JSONObject = [:], connections: JSONObject, name: String = "Single"
  ) -> JSONObject {
    [
      "tree": [
        "_id": .string(name), "entryNodeId": "n",
        "nodes": ["n": ["nodeType": .string(type), "connections": .object(connections)]],
      ], "nodes": ["n": .object(settings)],
    ]
  }

  @Test func runsAnExportedTree() async throws {
    let imported = try read(Self.login)
    #expect(imported.map(\.missing) == [[]])
    let harness = try await Harness(journeys: imported.map(\.tree))
    let page = try await harness.start("Login")
    #expect(page.types == ["NameCallback", "PasswordCallback"])
    #expect(page.body["header"] == "Hello")
    #expect(page.body["stage"] == "one")
    #expect(page.body["description"] == nil)
    #expect(try await harness.post(harness.credentials(page)).token != nil)
  }

  @Test func readsBundlesAndBareTrees() throws {
    var second = Self.login
    var tree = second["tree"]?.objectValue ?? [:]
    tree["_id"] = "Second"
    second["tree"] = .object(tree)
    let bundle = try read(["meta": [:], "trees": ["Login": .object(Self.login), "Second": .object(second)]])
    #expect(bundle.map(\.tree.name) == ["Login", "Second"])
    let bare = try read(
      [
        "entryNodeId": "n",
        "nodes": ["n": ["nodeType": "UsernameCollectorNode", "connections": ["outcome": .string(Self.success)]]],
      ])
    #expect(bare.map(\.tree.name) == ["file0"])
    #expect(throws: JourneyTreeError(tree: "Login", .malformedExport("two trees have this name"))) {
      try read(Self.login, Self.login)
    }
  }

  @Test func listsWhatIsMissingAndFailsOnlyWhenReached() async throws {
    var tree = Self.login
    tree["tree"] = [
      "_id": "Mixed", "entryNodeId": "c",
      "nodes": [
        "c": ["nodeType": "ChoiceCollectorNode", "connections": ["Known": "k", "Unknown": "s"]],
        "k": ["nodeType": "UsernameCollectorNode", "connections": ["outcome": .string(Self.failure)]],
        "s": ["nodeType": "ScriptedDecisionNode", "connections": ["yes": "k", "no": .string(Self.failure)]],
      ],
    ]
    tree["nodes"] = ["c": ["choices": ["Known", "Unknown"], "prompt": "?", "defaultChoice": "Known"]]
    let imported = try read(tree)
    #expect(imported[0].missing.map(\.description) == ["ScriptedDecisionNode (s)"])
    let harness = try await Harness(journeys: imported.map(\.tree))
    let page = try await harness.start("Mixed")
    #expect(try await harness.post(page.filled([0: ["": 0]])).types == ["NameCallback"])
    let second = try await harness.start("Mixed")
    let answer = try await harness.post(second.filled([0: ["": 1]]))
    #expect(answer.status == 501)
    #expect(answer.message == "The node type ScriptedDecisionNode is not implemented by this server")
  }

  @Test func putsInnerTreesInPlace() async throws {
    let outer = single(
      "InnerTreeEvaluatorNode", settings: ["tree": "Login"],
      connections: ["true": .string(Self.success), "false": .string(Self.failure)], name: "Outer")
    let imported = try read(outer, Self.login)
    #expect(imported.flatMap(\.missing).isEmpty)
    let harness = try await Harness(journeys: imported.map(\.tree))
    let page = try await harness.start("Outer")
    #expect(try await harness.post(harness.credentials(page)).token != nil)
    let alone = try read(outer)
    #expect(alone[0].missing.map(\.type) == ["InnerTreeEvaluatorNode"])
  }

  @Test func refusesTreesInsideThemselves() throws {
    let snake = single(
      "InnerTreeEvaluatorNode", settings: ["tree": "Snake"], connections: ["true": .string(Self.success)],
      name: "Snake")
    #expect(throws: JourneyTreeError(tree: "Snake", .malformedExport("Snake contains itself"))) { try read(snake) }
  }

  @Test func readsTheSettingsOfDeviceNodes() throws {
    let settings: JSONObject = [
      "authenticationType": "APPLICATION_PIN", "applicationIds": ["com.example.app"], "title": ["en": "T"],
      "subtitle": [:], "description": ["de": "B"], "maxSavedDevices": 3, "timeout": 30, "attestation": true,
      "postponeDeviceProfileStorage": true, "clientErrorOutcomes": ["Abort", "Away"],
    ]
    let imported = try read(
      single("DeviceBindingNode", settings: settings, connections: ["success": .string(Self.success)]))
    let step = try #require(imported[0].tree.step("n"))
    let node = try #require(step.node as? DeviceBindingNode)
    #expect(node.authenticationType == .applicationPIN)
    #expect(node.applicationIDs == ["com.example.app"])
    #expect(node.prompt == DevicePrompt(title: "T", subtitle: "Cryptography device binding", description: "B"))
    #expect(node.maxSavedDevices == 3 && node.timeout == 30 && node.attestation && node.postponesStorage)
    #expect(node.outcomes == ["success", "failure", "exceedDeviceLimit", "Abort", "Away"])
    #expect(step.destinations["success"] == .success)
    // What the export leaves unconnected leads to failure.
    #expect(step.destinations["Away"] == .failure)
  }

  @Test func takesOutcomesInEitherSpelling() throws {
    let imported = try read(
      single(
        "DeviceSigningVerifierNode",
        connections: ["Key Not Found": .string(Self.success), "noDeviceRegistered": .string(Self.success)]))
    let step = try #require(imported[0].tree.step("n"))
    #expect(step.destinations["keyNotFound"] == .success)
    #expect(step.destinations["noDeviceRegistered"] == .success)
  }

  @Test(
    arguments: [
      ("DeviceBindingNode", "authenticationType", "FACE"), ("DeviceBindingNode", "maxSavedDevices", "many"),
      ("DeviceBindingNode", "attestation", "yes"), ("DeviceBindingNode", "applicationIds", [1]),
      ("ChoiceCollectorNode", "choices", "a"), ("ChoiceCollectorNode", "choices", []),
      ("ChoiceCollectorNode", "choices", nil), ("PollingWaitNode", "secondsToWait", -1), ("PageNode", "nodes", nil),
      ("MessageNode", "message", 7),
    ] as [(String, String, JSONValue?)]) func refusesSettingsOfAnotherKind(
      type: String, name: String, value: JSONValue?
    )
  {
    var settings: JSONObject = [:]
    settings[name] = value
    let problem = JourneyTreeError.Problem.invalidSetting(step: "n", setting: name)
    #expect(throws: JourneyTreeError(tree: "Single", problem)) {
      try read(single(type, settings: settings, connections: [:]))
    }
  }

  @Test func refusesChoicesOfNothingAlsoInsideAPage() {
    let problem = JourneyTreeError.Problem.invalidSetting(step: "page", setting: "choices")
    #expect(throws: JourneyTreeError(tree: "Empty", problem)) {
      try JourneyTree("Empty") {
        TreeStep(
          "page",
          PageNode {
            UsernameCollector()
            ChoiceCollector(prompt: "Which?", choices: [])
          }
        ).next(.success)
      }
    }
  }

  @Test func readsRegularFilesOnly() throws {
    let directory = try TemporaryDirectory()
    let bytes = JSONValue.object(Self.login).serialized()
    try Data(bytes).write(to: URL(fileURLWithPath: directory.file("target")))
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("Login.json"), withDestinationPath: directory.file("target"))
    #expect(try TreeImport().read(directory: directory.path).map(\.tree.name) == ["Login"])
    // Nobody ever writes to it.
    #expect(mkfifo(directory.file("Pipe.json"), 0o600) == 0)
    let error = JourneyTreeError(tree: "Pipe.json", .malformedExport("no regular file"))
    #expect(throws: error) { try TreeImport().read(directory: directory.path) }
    try FileManager.default.removeItem(atPath: directory.file("Pipe.json"))
    try FileManager.default.createDirectory(atPath: directory.file("Pipe.json"), withIntermediateDirectories: false)
    #expect(throws: error) { try TreeImport().read(directory: directory.path) }
  }

  @Test(arguments: [
    "", "[]", "{}", "{\"trees\":[]}", "{\"trees\":{\"a\":1}}", "{\"tree\":{\"entryNodeId\":\"a\"}}",
    "{\"tree\":{\"entryNodeId\":\"a\",\"nodes\":{}}}", "{\"tree\":{\"entryNodeId\":\"a\",\"nodes\":{\"a\":{}}}}",
    "{\"tree\":{\"entryNodeId\":\"a\",\"nodes\":{\"a\":{\"nodeType\":\"UsernameCollectorNode\",\"connections\":{\"outcome\":1}}}}}",
  ]) func refusesFilesThatAreNoExport(text: String) {
    #expect(throws: JourneyTreeError.self) { try TreeImport().read([("file", Array(text.utf8))]) }
  }

  @Test func survivesEveryPrefixOfAnExport() {
    let bytes = JSONValue.object(Self.login).serialized()
    for length in 0..<bytes.count {
      #expect(throws: JourneyTreeError.self) { try TreeImport().read([("file", Array(bytes[..<length]))]) }
    }
  }
}
