import AuthenticatorCoding

/// Data for the client: a stage name of older servers, or the options of a ceremony. Always sent back unchanged.
///
/// Subclasses stand for what `_type` names, and are registered with
/// `CallbackRegistry.specialize("MetadataCallback")`.
open class MetadataCallback: Callback {
  public override class var wireType: String { "MetadataCallback" }

  /// The data as received; empty when it is absent or no object.
  public final var data: JSONObject { payload.output("data")?.objectValue ?? JSONObject() }
  /// What the data is about (`WebAuthn`, `PingOneProtect`); nil when it does not say.
  public final var kind: String? { data["_type"]?.stringValue }
  /// The stage that servers before 7.0 send here.
  public final var stage: String? { data["stage"]?.stringValue }
}
