public import AuthenticatorCoding

/// The settings of one node in an exported tree. Absent settings take the default; those of another kind are errors.
public struct NodeSettings {
  /// The settings as they stand in the export.
  public let values: JSONObject
  let tree: String
  let step: String
  /// The outcomes that are wired, by the names the export uses.
  public let wiredOutcomes: [String]
  /// Makes the nodes of a page.
  let child: (JSONValue) throws(JourneyTreeError) -> any TreeNode

  func invalid(_ name: String) -> JourneyTreeError {
    JourneyTreeError(tree: tree, .invalidSetting(step: step, setting: name))
  }

  private func value(_ name: String) -> JSONValue? {
    guard let value = values[name], !value.isNull else { return nil }
    return value
  }

  /// A text; nil when it is absent.
  public func text(_ name: String) throws(JourneyTreeError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.stringValue else { throw invalid(name) }
    return text
  }

  /// A text by language, `{"en": "…"}`: English when there is one, else the first. Plain text is taken as it is.
  public func localizedText(_ name: String) throws(JourneyTreeError) -> String? {
    guard let value = value(name) else { return nil }
    if let text = value.stringValue { return text }
    guard let texts = value.objectValue else { throw invalid(name) }
    guard let text = texts["en"] ?? texts.members.first?.value else { return nil }
    guard let text = text.stringValue else { throw invalid(name) }
    return text
  }

  /// A number from 0 to a million, or its digits.
  public func integer(_ name: String) throws(JourneyTreeError) -> Int? {
    guard let value = value(name) else { return nil }
    let number = value.wholeNumberValue ?? value.stringValue.flatMap { Int($0) }
    guard let number, (0...1_000_000).contains(number) else { throw invalid(name) }
    return number
  }

  /// `true` or `false`; nil when it is absent.
  public func bool(_ name: String) throws(JourneyTreeError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let bool = value.boolValue else { throw invalid(name) }
    return bool
  }

  /// A list of texts; nil when it is absent.
  public func texts(_ name: String) throws(JourneyTreeError) -> [String]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.arrayValue else { throw invalid(name) }
    let texts = elements.compactMap(\.stringValue)
    guard texts.count == elements.count else { throw invalid(name) }
    return texts
  }

  /// The nodes of a page.
  func children(_ name: String) throws(JourneyTreeError) -> [any TreeNode] {
    guard let elements = value(name)?.arrayValue else { throw invalid(name) }
    var nodes: [any TreeNode] = []
    for element in elements { nodes.append(try child(element)) }
    return nodes
  }

  func authenticationType(_ name: String) throws(JourneyTreeError) -> WireAuthenticationType? {
    guard let text = try text(name) else { return nil }
    guard let type = WireAuthenticationType(rawValue: text) else { throw invalid(name) }
    return type
  }
}

/// Makes a node from its settings; nil: these settings ask for something that is not implemented.
public typealias NodeFactory = @Sendable (NodeSettings) throws(JourneyTreeError) -> (any TreeNode)?
