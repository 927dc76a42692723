internal import AuthenticatorCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A TCP socket that listens; bound by ourselves, so that port 0 gives a free one and its number is known.
struct ListeningSocket {
  let descriptor: Int32
  let port: UInt16

  /// Listens on a numeric IPv4 or IPv6 address.
  ///
  /// Throws `AuthenticatorError`: `invalidRequest` for an address that is none, `transportFailed` when it cannot be
  /// had.
  init(host: String, port: UInt16) throws {
    if host.contains(":") {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { throw Self.invalidAddress() }
      self = try Self.listen(family: AF_INET6, address)
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw Self.invalidAddress() }
      self = try Self.listen(family: AF_INET, address)
    }
  }

  private init(descriptor: Int32, port: UInt16) {
    self.descriptor = descriptor
    self.port = port
  }

  private static func listen<Address>(family: Int32, _ address: Address) throws -> ListeningSocket {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, type, Int32(IPPROTO_TCP))
    guard descriptor >= 0 else { throw failed("socket") }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = address
    let size = socklen_t(MemoryLayout<Address>.size)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
    }
    guard isBound, Glibc.listen(descriptor, 512) == 0 else {
      let error = failed("bind")
      close(descriptor)
      throw error
    }
    var actual = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let isNamed = withUnsafeMutablePointer(to: &actual) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isNamed else {
      let error = failed("getsockname")
      close(descriptor)
      throw error
    }
    // The port stands at the same place in both kinds of address.
    return ListeningSocket(descriptor: descriptor, port: UInt16(bigEndian: actual.sin6_port))
  }

  private static func invalidAddress() -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "listen", reason: "not a numeric address")
  }

  private static func failed(_ call: StaticString) -> AuthenticatorError {
    AuthenticatorError(.transportFailed, stage: "listen", reason: "\(call): \(String(cString: strerror(errno)))")
  }

  /// The other end of a connection as text; empty when it has none.
  static func peer(of descriptor: Int32) -> String {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> String in
        guard getpeername(descriptor, generic, &length) == 0 else { return "" }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(generic, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
  }
}
