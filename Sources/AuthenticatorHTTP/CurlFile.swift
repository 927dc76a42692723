internal import Glibc

/// Looks at files before libcurl does, so that a wrong path is named at the start and not at the first request.
enum CurlFile {
  static func isReadable(_ path: String) -> Bool {
    var status = stat()
    return !path.utf8.contains(0) && access(path, R_OK) == 0 && stat(path, &status) == 0
      && status.st_mode & S_IFMT != S_IFDIR
  }
}
