internal import Glibc
internal import Synchronization

/// The process's locked memory for secrets.
///
/// Locking and unlocking a page costs as much as a signature, so one stretch is locked for good and handed out in slots
/// of a few sizes. What finds no slot gets pages of its own. Where the process may not lock memory, the stretch stays
/// unlocked: that keeps secrets from being copied about, not from being swapped out.
final class SecretArena: @unchecked Sendable {
  // Unchecked because of the pointer: it is set once, and a slot belongs to one secret from `take` to `give`.
  private let base: UnsafeMutableRawPointer
  private let freeSlots: Mutex<[[UInt16]]>

  private struct SlotSize {
    let bytes: Int
    let count: Int
  }

  /// 64 KiB of each size: keys, wrapped keys, and RSA keys or tokens.
  private static let sizes = [
    SlotSize(bytes: 64, count: 1024), SlotSize(bytes: 256, count: 256), SlotSize(bytes: 2048, count: 32),
  ]
  private static let stretch = 1 << 16
  private static let page = 4096

  /// Where a secret lives.
  struct Place {
    let pointer: UnsafeMutableRawPointer
    fileprivate let owner: Owner

    fileprivate enum Owner {
      case slot(size: Int, index: UInt16)
      case pages(count: Int, isLocked: Bool)
    }
  }

  /// Memory that can be locked belongs to the process, hence one arena.
  static let process = SecretArena()

  private init() {
    let total = Self.stretch * Self.sizes.count
    base = .allocate(byteCount: total, alignment: Self.page)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: total)
    if mlock(base, total) == 0 { madvise(base, total, MADV_DONTDUMP) }
    freeSlots = Mutex(Self.sizes.map { Array((0..<UInt16($0.count)).reversed()) })
  }

  /// Hands out at least `count` zeroed bytes.
  func take(_ count: Int) -> Place {
    for (size, slot) in Self.sizes.enumerated() where count <= slot.bytes {
      guard let index = freeSlots.withLock({ $0[size].popLast() }) else { continue }
      let pointer = base + size * Self.stretch + Int(index) * slot.bytes
      return Place(pointer: pointer, owner: .slot(size: size, index: index))
    }
    let whole = max(count, 1)
    // A secret beyond the slots has its pages to itself: locks do not nest, a neighbor's end would undo them.
    let capacity = whole > Int.max - Self.page ? whole : (whole + Self.page - 1) / Self.page * Self.page
    let pointer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: Self.page)
    pointer.initializeMemory(as: UInt8.self, repeating: 0, count: whole)
    return Place(pointer: pointer, owner: .pages(count: capacity, isLocked: mlock(pointer, capacity) == 0))
  }

  /// Takes back memory whose bytes were overwritten with zeros.
  func give(_ place: Place) {
    switch place.owner {
    case .slot(let size, let index): freeSlots.withLock { $0[size].append(index) }
    case .pages(let count, let isLocked):
      if isLocked { munlock(place.pointer, count) }
      place.pointer.deallocate()
    }
  }
}
