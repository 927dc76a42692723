import Glibc

/// How many files and connections the process may have open.
enum DescriptorLimit {
  /// Raises the limit as far as the system lets; the usual 1,024 are fewer than the connections a server takes. That it
  /// cannot be raised is no failure: the server then takes fewer.
  static func raise(to count: rlim_t) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < count else { return }
    limit.rlim_cur = min(count, limit.rlim_max)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
