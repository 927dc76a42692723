#include "BenchmarkFloors.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

struct floor_echo {
  struct MHD_Daemon *daemon;
  uint16_t port;
};

struct body {
  size_t length;
  char bytes[16384];
};

static enum MHD_Result answer(void *closure, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **state) {
  (void)closure, (void)url, (void)method, (void)version;
  struct body *body = *state;
  if (body == NULL) return (*state = calloc(1, sizeof *body)) != NULL ? MHD_YES : MHD_NO;
  if (*size > 0) {
    size_t room = sizeof body->bytes - body->length, taken = *size < room ? *size : room;
    memcpy(body->bytes + body->length, data, taken);
    body->length += taken;
    *size = 0;
    return MHD_YES;
  }
  struct MHD_Response *response = MHD_create_response_from_buffer(body->length, body->bytes, MHD_RESPMEM_MUST_COPY);
  enum MHD_Result result = MHD_queue_response(connection, 200, response);
  MHD_destroy_response(response);
  return result;
}

static void finish(void *closure, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode why) {
  (void)closure, (void)connection, (void)why;
  free(*state);
  *state = NULL;
}

floor_echo *floor_echo_start(void) {
  floor_echo *echo = calloc(1, sizeof *echo);
  if (echo == NULL) return NULL;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  echo->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR,
                                  &address, MHD_OPTION_NOTIFY_COMPLETED, finish, NULL, MHD_OPTION_END);
  const union MHD_DaemonInfo *info =
      echo->daemon == NULL ? NULL : MHD_get_daemon_info(echo->daemon, MHD_DAEMON_INFO_BIND_PORT);
  if (info == NULL) {
    floor_echo_stop(echo);
    return NULL;
  }
  echo->port = info->port;
  return echo;
}

uint16_t floor_echo_port(const floor_echo *echo) { return echo->port; }

void floor_echo_stop(floor_echo *echo) {
  if (echo == NULL) return;
  if (echo->daemon != NULL) MHD_stop_daemon(echo->daemon);
  free(echo);
}
