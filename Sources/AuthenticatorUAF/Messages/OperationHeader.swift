import AuthenticatorCoding

/// What a message asks for (FIDO UAF Protocol, section "Operation").
public enum UAFOperation: String, Hashable, Sendable, CaseIterable {
  /// A new key.
  case registration = "Reg"
  /// A signature, with or without a transaction.
  case authentication = "Auth"
  /// Keys to be forgotten.
  case deregistration = "Dereg"
}

/// What stands at the head of every message (FIDO UAF Protocol, section "OperationHeader").
public struct OperationHeader: Hashable, Sendable {
  /// The version the message is in.
  public var upv: UAFVersion
  /// What it asks for.
  public var op: UAFOperation
  /// Whose keys; nil: the caller's facet names them.
  public var appID: String?
  /// The server's own, handed back unchanged.
  public var serverData: String?
  /// Extensions, in order.
  public var exts: [UAFExtension]

  /// Makes a header.
  public init(
    upv: UAFVersion = .v11, op: UAFOperation, appID: String? = nil, serverData: String? = nil,
    exts: [UAFExtension] = []
  ) {
    self.upv = upv
    self.op = op
    self.appID = appID
    self.serverData = serverData
    self.exts = exts
  }

  init(_ value: JSONElement?) throws {
    let members = try MessageMembers(value, "header")
    upv = try UAFVersion(members.object["upv"], "header.upv")
    guard let op = UAFOperation(rawValue: try members.text("op", 1...16)) else { throw members.malformed("op") }
    self.op = op
    let appID = try members.optionalText("appID", 0...512)
    self.appID = appID?.isEmpty == true ? nil : appID
    serverData = try members.optionalText("serverData", 1...1536)
    exts = try members.object["exts"].map { try UAFExtension.list($0, "header.exts") } ?? []
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.name("upv")
    upv.write(to: &writer)
    writer.name("op")
    writer.write(op.rawValue)
    if let appID {
      writer.name("appID")
      writer.write(appID)
    }
    if let serverData {
      writer.name("serverData")
      writer.write(serverData)
    }
    if !exts.isEmpty {
      writer.name("exts")
      writer.write(.array(exts.map(\.json)))
    }
    writer.endObject()
  }
}

/// Something beyond the standard that a message carries (FIDO UAF Protocol, section "Extension").
public struct UAFExtension: Hashable, Sendable {
  /// Its registered name, 1 to 32 characters.
  public var id: String
  /// Its data, as text; may be empty.
  public var data: String
  /// Whether whoever does not know it must refuse.
  public var failIfUnknown: Bool

  /// Makes an extension.
  public init(id: String, data: String, failIfUnknown: Bool = false) {
    self.id = id
    self.data = data
    self.failIfUnknown = failIfUnknown
  }

  /// Asks for, or reports, the methods by which the person was verified.
  public static let userVerificationMethodID = "fido.uaf.uvm"

  private init(_ element: JSONElement) throws {
    let members = try MessageMembers(element, "exts")
    id = try members.text("id", 1...32)
    data = try members.text("data", 0...8192)
    guard let fails = members.object["fail_if_unknown"]?.boolValue else { throw members.malformed("fail_if_unknown") }
    failIfUnknown = fails
  }

  static func list(_ element: JSONElement, _ place: String) throws -> [UAFExtension] {
    guard let list = element.elements, (1...64).contains(list.count) else {
      throw MessageMembers.error(place, "is malformed")
    }
    return try list.map { try UAFExtension($0) }
  }

  var json: JSONValue {
    ["id": .string(id), "data": .string(data), "fail_if_unknown": .bool(failIfUnknown)]
  }
}
