#define _GNU_SOURCE
#include "CSQLiteShims.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

int authkit_sqlite_set_option(sqlite3 *db, int option, int on) { return sqlite3_db_config(db, option, on, (int *)0); }
int authkit_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  // A null pointer would bind NULL; an empty blob is not NULL.
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
int authkit_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

#if defined(__APPLE__)
int authkit_rename_exclusively(const char *from, const char *to) { return renamex_np(from, to, RENAME_EXCL); }
#else
int authkit_rename_exclusively(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
#endif

// The mapped header, through the file methods that SQLite itself uses.
static const unsigned char *wal_header(sqlite3 *db) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file || !file->pMethods ||
      file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) {
    return 0;
  }
  void volatile *region = 0;
  // The first region, of the one size there is; it is not made if it is not there.
  if (file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK) return 0;
  atomic_thread_fence(memory_order_acquire);
  return (const unsigned char *)region;
}

int authkit_sqlite_wal_header(sqlite3 *db, unsigned char header[AUTHKIT_WAL_HEADER_SIZE]) {
  const unsigned char *mapped = wal_header(db);
  if (!mapped) return 0;
  memcpy(header, mapped, AUTHKIT_WAL_HEADER_SIZE);
  atomic_thread_fence(memory_order_seq_cst);
  return 1;
}

int authkit_sqlite_wal_is_unchanged(sqlite3 *db, const unsigned char header[AUTHKIT_WAL_HEADER_SIZE]) {
  const unsigned char *mapped = wal_header(db);
  return mapped && memcmp(header, mapped, AUTHKIT_WAL_HEADER_SIZE) == 0;
}
