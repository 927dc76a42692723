import AuthenticatorCoding
import AuthenticatorCore
import Synchronization

/// Who calls for which application, as far as their names alone tell.
final class UAFCaller: Sendable {
  let facet: FacetID
  let application: UAFApplication
  let module: AuthenticatorModule

  init(_ facet: FacetID, _ application: UAFApplication, _ module: AuthenticatorModule) {
    self.facet = facet
    self.application = application
    self.module = module
  }
}

/// The caller of the last operation: an app calls again and again for the same application. Callers that only a list of
/// trusted facets admits are not remembered, lists have a lifetime of their own.
final class LastCaller: Sendable {
  private struct Entry: Sendable {
    let facetID: String
    let appID: String?
    let caller: UAFCaller
  }

  private let last = Mutex<Entry?>(nil)

  // Not inlined: Swift 6.3 may address thread-local data through the thread from before a suspension, and a lock keeps
  // its owner there.
  @inline(never)
  func caller(_ facetID: String, _ appID: String?) -> UAFCaller? {
    last.withLock { last in
      guard let last, last.facetID.isIdentical(to: facetID) else { return nil }
      switch (last.appID, appID) {
      case (nil, nil): return last.caller
      case (let known?, let appID?): return known.isIdentical(to: appID) ? last.caller : nil
      default: return nil
      }
    }
  }

  @inline(never)
  func remember(_ caller: UAFCaller, _ facetID: String, _ appID: String?) {
    last.withLock { $0 = Entry(facetID: facetID, appID: appID, caller: caller) }
  }
}
