#define _GNU_SOURCE
#include "CSQLiteShims.h"
#include <fcntl.h>
#include <stdio.h>

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
