// Makes one file operation of a process go wrong. Loaded with LD_PRELOAD by the fault-injection tests.
//
//   STORE_FAULT_FOLDER  only files whose path begins with this count
//   STORE_FAULT_KIND    eio, enospc, short, kill-before, kill-after, half, or cut: the power goes, and of what was
//                       not synchronized yet each sector is kept or lost
//   STORE_FAULT_SEED    a number that decides which
//   STORE_FAULT_AT      which counted call is hit, from 1 on; every later one succeeds
//   STORE_FAULT_MARK    a file that is made when the fault strikes

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int calls;
static atomic_uchar watched[65536];

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

static int is_ours(const char *path) {
  const char *folder = setting("STORE_FAULT_FOLDER");
  return *folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static char *paths[65536];

static void watch(int file, const char *path) {
  if (file < 0 || file >= 65536) return;
  watched[file] = is_ours(path);
  if (watched[file]) paths[file] = strdup(path);
}

static int is_watched(int file) { return file >= 0 && file < 65536 && watched[file]; }

// What would be lost with the power: the bytes as they were before each write that was not synchronized.
struct unsynced {
  struct unsynced *earlier;
  char *path;
  off_t offset, size_before;
  size_t count;
  unsigned char *before;
};
static struct unsynced *unsynced;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
enum { SECTOR = 512 };

static int cuts(void) { return strcmp(setting("STORE_FAULT_KIND"), "cut") == 0; }

// Notes what a write, or a truncation to `offset`, is about to replace.
static void remember(int file, off_t offset, size_t count) {
  struct stat status;
  if (!cuts() || !paths[file] || fstat(file, &status) != 0) return;
  struct unsynced *entry = calloc(1, sizeof *entry);
  entry->path = paths[file];
  entry->offset = offset;
  entry->size_before = status.st_size;
  entry->count = count;
  entry->before = calloc(1, count + 1);
  syscall(SYS_pread64, file, entry->before, count, offset);
  pthread_mutex_lock(&guard);
  entry->earlier = unsynced;
  unsynced = entry;
  pthread_mutex_unlock(&guard);
}

// A file that was synchronized has nothing to lose.
static void settle(int file) {
  if (!cuts() || !paths[file]) return;
  pthread_mutex_lock(&guard);
  for (struct unsynced **place = &unsynced; *place;) {
    if (strcmp((*place)->path, paths[file]) == 0) *place = (*place)->earlier;
    else place = &(*place)->earlier;
  }
  pthread_mutex_unlock(&guard);
}

// Takes back, the last write first, what chance says never reached the disk.
static void lose_power(void) {
  unsigned long state = strtoul(setting("STORE_FAULT_SEED"), NULL, 10) * 2654435761u + 12345;
  for (struct unsynced *entry = unsynced; entry; entry = entry->earlier) {
    int file = (int)syscall(SYS_openat, AT_FDCWD, entry->path, O_RDWR, 0);
    if (file < 0) continue;
    for (size_t start = 0; start < entry->count; start += SECTOR) {
      state = state * 6364136223846793005ul + 1442695040888963407ul;
      if (state >> 63) continue;
      size_t length = entry->count - start < SECTOR ? entry->count - start : SECTOR;
      syscall(SYS_pwrite64, file, entry->before + start, length, entry->offset + (off_t)start);
    }
    if (state >> 62 & 1) {
      struct stat status;
      if (fstat(file, &status) == 0 && status.st_size > entry->size_before) {
        syscall(SYS_ftruncate, file, entry->size_before);
      }
    }
    syscall(SYS_close, file);
  }
}

enum kind { NONE, EIO_KIND, ENOSPC_KIND, SHORT, KILL_BEFORE, KILL_AFTER, HALF };

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Counts a call and says what is to become of it.
static enum kind strike(void) {
  int call = atomic_fetch_add(&calls, 1) + 1;
  if (call != atoi(setting("STORE_FAULT_AT"))) return NONE;
  int mark = (int)syscall(SYS_openat, AT_FDCWD, setting("STORE_FAULT_MARK"), O_CREAT | O_WRONLY, 0600);
  if (mark >= 0) syscall(SYS_close, mark);
  const char *kind = setting("STORE_FAULT_KIND");
  if (strcmp(kind, "kill-before") == 0) die();
  if (cuts()) {
    lose_power();
    die();
  }
  if (strcmp(kind, "eio") == 0) return EIO_KIND;
  if (strcmp(kind, "enospc") == 0) return ENOSPC_KIND;
  if (strcmp(kind, "short") == 0) return SHORT;
  if (strcmp(kind, "kill-after") == 0) return KILL_AFTER;
  if (strcmp(kind, "half") == 0) return HALF;
  return NONE;
}

// For calls that either happen or do not.
#define SIMPLE(call)                                          \
  do {                                                        \
    enum kind kind = strike();                                \
    if (kind == ENOSPC_KIND) { errno = ENOSPC; return -1; }   \
    if (kind == EIO_KIND) { errno = EIO; return -1; }         \
    int result = (int)(call);                                 \
    if (kind == KILL_AFTER || kind == HALF) die();            \
    return result;                                            \
  } while (0)

static ssize_t write_out(int file, const void *bytes, size_t count, off_t offset, int at) {
  return at ? syscall(SYS_pwrite64, file, bytes, count, offset) : syscall(SYS_write, file, bytes, count);
}

static ssize_t faulty_write(int file, const void *bytes, size_t count, off_t offset, int at) {
  if (!is_watched(file)) return write_out(file, bytes, count, offset, at);
  enum kind kind = strike();
  remember(file, at ? offset : lseek(file, 0, SEEK_CUR), count);
  switch (kind) {
    case EIO_KIND: errno = EIO; return -1;
    case ENOSPC_KIND: errno = ENOSPC; return -1;
    case SHORT: return write_out(file, bytes, count > 1 ? count / 2 : count, offset, at);
    case HALF: write_out(file, bytes, count / 2, offset, at); die(); return -1;
    case KILL_AFTER: write_out(file, bytes, count, offset, at); die(); return -1;
    default: return write_out(file, bytes, count, offset, at);
  }
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return faulty_write(file, bytes, count, offset, 1);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return faulty_write(file, bytes, count, offset, 1);
}
ssize_t write(int file, const void *bytes, size_t count) { return faulty_write(file, bytes, count, 0, 0); }

static int faulty_open(const char *path, int flags, mode_t mode) {
  int file;
  if ((flags & O_CREAT) && is_ours(path)) {
    enum kind kind = strike();
    if (kind == ENOSPC_KIND) { errno = ENOSPC; return -1; }
    if (kind == EIO_KIND) { errno = EIO; return -1; }
    file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (kind == KILL_AFTER || kind == HALF) die();
  } else {
    file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  }
  watch(file, path);
  return file;
}

#define MODE(flags, mode)               \
  mode_t mode = 0;                      \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list list;                       \
    va_start(list, flags);              \
    mode = va_arg(list, mode_t);        \
    va_end(list);                       \
  }

int open(const char *path, int flags, ...) {
  MODE(flags, mode)
  return faulty_open(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags, mode)
  return faulty_open(path, flags | O_LARGEFILE, mode);
}

int close(int file) {
  if (file >= 0 && file < 65536) watched[file] = 0;
  return (int)syscall(SYS_close, file);
}

static long synchronize(int file) {
  settle(file);
  return syscall(SYS_fdatasync, file);
}

static long shorten(int file, off_t size) {
  struct stat status;
  if (fstat(file, &status) == 0 && status.st_size > size) remember(file, size, (size_t)(status.st_size - size));
  return syscall(SYS_ftruncate, file, size);
}

int fsync(int file) {
  if (!is_watched(file)) return (int)syscall(SYS_fsync, file);
  SIMPLE(synchronize(file));
}
int fdatasync(int file) {
  if (!is_watched(file)) return (int)syscall(SYS_fdatasync, file);
  SIMPLE(synchronize(file));
}
int ftruncate(int file, off_t size) {
  if (!is_watched(file)) return (int)syscall(SYS_ftruncate, file, size);
  SIMPLE(shorten(file, size));
}
int ftruncate64(int file, off64_t size) {
  if (!is_watched(file)) return (int)syscall(SYS_ftruncate, file, size);
  SIMPLE(shorten(file, size));
}
int unlink(const char *path) {
  if (!is_ours(path)) return (int)syscall(SYS_unlink, path);
  SIMPLE(syscall(SYS_unlink, path));
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  if (!is_ours(to)) return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  SIMPLE(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
