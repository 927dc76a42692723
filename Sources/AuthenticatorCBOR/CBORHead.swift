internal import CLibCBOR

/// The head of one item as libcbor's streaming decoder tells it.
struct CBORHead {
  enum Kind {
    case none
    case unsigned
    case negative
    case bytes
    case text
    case array
    case map
    case indefinite
    case tag
    case float
    case bool
    case null
    case undefined
    case stop
  }

  var kind = Kind.none
  /// The argument: the number, the length, the count of elements or pairs, or the truth value.
  var argument: UInt64 = 0

  /// Has libcbor read one head, and the content that follows it when it is a string; returns the number of bytes read.
  ///
  /// Nothing is allocated, whatever the head claims. `offset` is where the bytes stand in the input, for errors.
  mutating func read(_ bytes: UnsafePointer<UInt8>, count: Int, offset: Int) throws(CBORError) -> Int {
    kind = .none
    let result = withUnsafeMutablePointer(to: &self) { cbor_stream_decode(bytes, count, Self.callbacks, $0) }
    if result.status == CBOR_DECODER_NEDATA { throw CBORError(.truncated, offset: offset) }
    guard result.status == CBOR_DECODER_FINISHED else { throw CBORError(.malformed, offset: offset) }
    guard kind != .none, result.read > 0, result.read <= count else { throw CBORError(.libraryFailed, offset: offset) }
    return result.read
  }

  /// Unchecked because it is made once per process and never written again.
  nonisolated(unsafe) private static let callbacks: UnsafePointer<cbor_callbacks> = {
    let callbacks = UnsafeMutablePointer<cbor_callbacks>.allocate(capacity: 1)
    callbacks.initialize(
      to: cbor_callbacks(
        uint8: { tell($0, .unsigned, UInt64($1)) },
        uint16: { tell($0, .unsigned, UInt64($1)) },
        uint32: { tell($0, .unsigned, UInt64($1)) },
        uint64: { tell($0, .unsigned, $1) },
        negint64: { tell($0, .negative, $1) },
        negint32: { tell($0, .negative, UInt64($1)) },
        negint16: { tell($0, .negative, UInt64($1)) },
        negint8: { tell($0, .negative, UInt64($1)) },
        byte_string_start: { tell($0, .indefinite) },
        byte_string: { context, _, length in tell(context, .bytes, UInt64(length)) },
        string: { context, _, length in tell(context, .text, UInt64(length)) },
        string_start: { tell($0, .indefinite) },
        indef_array_start: { tell($0, .indefinite) },
        array_start: { tell($0, .array, UInt64(UInt(bitPattern: $1))) },
        indef_map_start: { tell($0, .indefinite) },
        map_start: { tell($0, .map, UInt64(UInt(bitPattern: $1))) },
        tag: { tell($0, .tag, $1) },
        float2: { context, _ in tell(context, .float) },
        float4: { context, _ in tell(context, .float) },
        float8: { context, _ in tell(context, .float) },
        undefined: { tell($0, .undefined) },
        null: { tell($0, .null) },
        boolean: { tell($0, .bool, $1 ? 1 : 0) },
        indef_break: { tell($0, .stop) }))
    return UnsafePointer(callbacks)
  }()

  private static func tell(_ context: UnsafeMutableRawPointer?, _ kind: Kind, _ argument: UInt64 = 0) {
    context?.assumingMemoryBound(to: CBORHead.self).pointee = CBORHead(kind: kind, argument: argument)
  }
}
