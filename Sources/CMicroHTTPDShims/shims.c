#include "CMicroHTTPDShims.h"

#include <string.h>

// Paths are decoded by the server itself, segment by segment; decoded here, "%2F" could no longer be told from "/".
static size_t keep(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

struct MHD_Daemon *authkit_mhd_start(const authkit_mhd_options *o) {
  const unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
  return MHD_start_daemon(
      flags, 0, NULL, NULL, o->handler, o->context,
      MHD_OPTION_LISTEN_SOCKET, o->listen_socket,
      MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
      MHD_OPTION_NOTIFY_CONNECTION, o->connection, o->context,
      MHD_OPTION_URI_LOG_CALLBACK, o->target, o->context,
      MHD_OPTION_UNESCAPE_CALLBACK, &keep, NULL,
      MHD_OPTION_CONNECTION_LIMIT, o->connection_limit,
      MHD_OPTION_CONNECTION_TIMEOUT, o->timeout,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->connection_memory,
      // Strict parsing: what a proxy may read differently is refused.
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      o->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, o->threads,
      MHD_OPTION_END);
}

int authkit_mhd_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

size_t authkit_mhd_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}
