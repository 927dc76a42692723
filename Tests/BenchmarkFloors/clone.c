#include "BenchmarkFloors.h"

#include <sqlite3.h>
#include <stdio.h>

// The copies keep size and shape and get names and index values of their own, so that look-ups of the original rows
// walk trees of the full height. They could never be opened as keys, and nobody asks for them.
int floor_clone_keys(const char *path, size_t rows) {
  sqlite3 *handle = NULL;
  char statement[1024];
  snprintf(statement, sizeof statement,
           "BEGIN; INSERT INTO keys(tag, instance, party, account, slot, name, state, version, record, status, material,"
           " secrets) WITH RECURSIVE turn(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM turn WHERE n < %zu)"
           " SELECT substr(lower(hex(randomblob(32))), 1, length(tag)), instance, random(), random(), random(), name,"
           " state, version, record, status, material, secrets FROM turn JOIN keys ON keys.id = 1 + turn.n %% %zu;"
           " COMMIT; PRAGMA wal_checkpoint(TRUNCATE)",
           rows, (size_t)256);
  int good = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
             sqlite3_exec(handle, "PRAGMA synchronous=OFF; PRAGMA cache_size=-400000", NULL, NULL, NULL) == SQLITE_OK &&
             sqlite3_exec(handle, statement, NULL, NULL, NULL) == SQLITE_OK;
  if (!good) fprintf(stderr, "%s\n", sqlite3_errmsg(handle));
  sqlite3_close(handle);
  return good;
}
