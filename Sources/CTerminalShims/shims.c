#include "CTerminalShims.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <termios.h>

// A signal handler can be told nothing, so what it restores has to stand here. A process has one terminal at most;
// `owner` admits one entry at a time.
static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { count = sizeof signals / sizeof *signals };

static atomic_flag owner = ATOMIC_FLAG_INIT;
static atomic_int hidden = -1;
static struct termios mode;
static struct sigaction previous[count];
static volatile sig_atomic_t is_ours[count];

static void restore_and_die(int number) {
  int fd = atomic_load(&hidden);
  if (fd >= 0) tcsetattr(fd, TCSAFLUSH, &mode);
  // Handlers are installed only where the default action was due.
  signal(number, SIG_DFL);
  raise(number);
}

int authkit_terminal_hide(int fd) {
  if (atomic_flag_test_and_set(&owner)) return EBUSY;
  if (tcgetattr(fd, &mode) != 0) {
    int failure = errno;
    atomic_flag_clear(&owner);
    return failure;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = restore_and_die;
  sigemptyset(&action.sa_mask);
  atomic_store(&hidden, fd);
  for (int i = 0; i < count; i++) {
    is_ours[i] = sigaction(signals[i], NULL, &previous[i]) == 0 && !(previous[i].sa_flags & SA_SIGINFO)
                 && previous[i].sa_handler == SIG_DFL && sigaction(signals[i], &action, NULL) == 0;
  }
  struct termios off = mode;
  off.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG);
  off.c_cc[VMIN] = 1;
  off.c_cc[VTIME] = 0;
  // At once and without flushing: what was typed already is the answer to what is about to be asked.
  if (tcsetattr(fd, TCSANOW, &off) != 0) {
    int failure = errno;
    authkit_terminal_show(0);
    return failure;
  }
  return 0;
}

void authkit_terminal_show(int discards) {
  int fd = atomic_load(&hidden);
  if (fd < 0) return;
  tcsetattr(fd, discards ? TCSAFLUSH : TCSADRAIN, &mode);
  for (int i = 0; i < count; i++) {
    if (is_ours[i]) sigaction(signals[i], &previous[i], NULL);
  }
  atomic_store(&hidden, -1);
  atomic_flag_clear(&owner);
}
