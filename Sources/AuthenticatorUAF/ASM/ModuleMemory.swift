import AuthenticatorCoding
import AuthenticatorCore
import Synchronization

/// What costs reading and hashing each time, with what it follows from: nothing of it is taken for another token of the
/// store, application or sealed handle.
final class ModuleMemory: Sendable {
  private struct Known: Sendable {
    var application: UAFApplication?
    var asmToken: [UInt8] = []
    var tokens = AccessTokens()
    /// By their sealed form; a caller seldom has more than a few.
    var handles: [(bytes: [UInt8], handle: KeyHandle)] = []
  }

  private static let maximumHandles = 16
  private let known = Mutex(Known())

  // Not inlined: Swift 6.3 may address thread-local data through the thread from before a suspension, and a lock keeps
  // its owner there.
  @inline(never)
  func tokens(of application: UAFApplication, _ asmToken: [UInt8]) -> AccessTokens? {
    known.withLock { known in
      guard let present = known.application, present.isIdentical(to: application), known.asmToken == asmToken else {
        return nil
      }
      return known.tokens
    }
  }

  @inline(never)
  func remember(_ tokens: AccessTokens, of application: UAFApplication, _ asmToken: [UInt8]) {
    known.withLock { known in
      known.application = application
      known.asmToken = asmToken
      known.tokens = tokens
    }
  }

  /// - Throws: `integrityFailed` for bytes that are no handle.
  @inline(never)
  func handle(_ bytes: [UInt8]) throws -> KeyHandle {
    try known.withLock { known in
      for one in known.handles where one.bytes == bytes { return one.handle }
      let handle = try KeyHandle(bytes)
      if known.handles.count == Self.maximumHandles { known.handles.removeFirst() }
      known.handles.append((bytes, handle))
      return handle
    }
  }
}

extension UAFApplication {
  fileprivate func isIdentical(to other: UAFApplication) -> Bool {
    id.isIdentical(to: other.id)
      && formerIDs.elementsEqual(other.formerIDs) { $0.isIdentical(to: $1) }
  }
}
