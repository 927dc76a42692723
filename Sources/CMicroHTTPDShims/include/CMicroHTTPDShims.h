#pragma once
/// The variadic functions of libmicrohttpd that Swift cannot import.
#include <microhttpd.h>

/// Everything a daemon is started with.
typedef struct {
  /// Bound and listening; the daemon owns it from then on.
  MHD_socket listen_socket;
  /// Given to all callbacks.
  void *context;
  MHD_AccessHandlerCallback handler;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  /// Receives the request target as it was sent; what it returns becomes the request's own pointer.
  void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
  unsigned int connection_limit;
  /// Of inactivity, in seconds.
  unsigned int timeout;
  /// For request line and header fields, in bytes.
  size_t connection_memory;
  /// Above 1: that many threads.
  unsigned int threads;
} authkit_mhd_options;

/// Starts a daemon on epoll that can suspend connections and hands over paths and queries as they were sent. Null: failed.
struct MHD_Daemon *authkit_mhd_start(const authkit_mhd_options *options);
/// The socket of a connection, or -1.
int authkit_mhd_connection_socket(struct MHD_Connection *connection);
/// How many bytes request line, header fields and the empty line after them had; 0 while that is not known.
size_t authkit_mhd_header_size(struct MHD_Connection *connection);
