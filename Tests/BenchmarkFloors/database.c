#include "BenchmarkFloors.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct floor_database {
  sqlite3 *handle;
  sqlite3_stmt *read;
  sqlite3_stmt *update;
};

enum { id_size = 33, log_pages = 1000 };

// Ids look random, so that neighbors in the table are strangers, and can be computed again.
static void make_id(size_t number, char id[id_size]) {
  uint64_t a = (number + 1) * 0x9E3779B97F4A7C15u, b = a ^ (a >> 31);
  snprintf(id, id_size, "%016llx%016llx", (unsigned long long)a, (unsigned long long)(b * 0xBF58476D1CE4E5B9u));
}

void floor_database_close(floor_database *database) {
  if (database == NULL) return;
  sqlite3_finalize(database->read);
  sqlite3_finalize(database->update);
  sqlite3_close(database->handle);
  free(database);
}

floor_database *floor_database_open(const char *path) {
  floor_database *database = calloc(1, sizeof *database);
  if (database == NULL) return NULL;
  const char *setup = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                      "CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, content BLOB NOT NULL);";
  if (sqlite3_open(path, &database->handle) != SQLITE_OK ||
      sqlite3_exec(database->handle, setup, NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database->handle, "SELECT content FROM rows WHERE id = ?", -1, &database->read, NULL) !=
          SQLITE_OK ||
      sqlite3_prepare_v2(database->handle, "UPDATE rows SET content = randomblob(length(content)) WHERE id = ?", -1,
                         &database->update, NULL) != SQLITE_OK) {
    floor_database_close(database);
    return NULL;
  }
  return database;
}

int floor_database_fill(floor_database *database, size_t rows, size_t size) {
  sqlite3_stmt *insert = NULL;
  char *content = malloc(size ? size : 1);
  if (content == NULL) return 0;
  memset(content, 0x5a, size);
  int good = sqlite3_exec(database->handle, "BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
             sqlite3_prepare_v2(database->handle, "INSERT OR IGNORE INTO rows VALUES (?, ?)", -1, &insert, NULL) ==
                 SQLITE_OK;
  for (size_t number = 0; good && number < rows; number++) {
    char id[id_size];
    make_id(number, id);
    sqlite3_bind_text(insert, 1, id, id_size - 1, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 2, content, (int)size, SQLITE_STATIC);
    good = sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  free(content);
  return good && sqlite3_exec(database->handle, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) == SQLITE_OK;
}

int floor_database_turn_log(floor_database *database) {
  return sqlite3_exec(database->handle, "PRAGMA synchronous=OFF", NULL, NULL, NULL) == SQLITE_OK &&
         floor_database_commit(database, log_pages + 1) == log_pages + 1 &&
         sqlite3_exec(database->handle, "PRAGMA synchronous=FULL", NULL, NULL, NULL) == SQLITE_OK;
}

size_t floor_database_read(floor_database *database, size_t rows, size_t count) {
  size_t found = 0;
  uint64_t state = 88172645463325252u;
  for (size_t turn = 0; turn < count; turn++) {
    char id[id_size];
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    make_id(state % rows, id);
    sqlite3_bind_text(database->read, 1, id, id_size - 1, SQLITE_STATIC);
    if (sqlite3_step(database->read) == SQLITE_ROW) found += sqlite3_column_bytes(database->read, 0) > 0;
    sqlite3_reset(database->read);
  }
  return found;
}

size_t floor_database_commit(floor_database *database, size_t count) {
  size_t done = 0;
  char id[id_size];
  make_id(0, id);
  for (; done < count; done++) {
    sqlite3_bind_text(database->update, 1, id, id_size - 1, SQLITE_STATIC);
    int good = sqlite3_step(database->update) == SQLITE_DONE;
    sqlite3_reset(database->update);
    if (!good) break;
  }
  return done;
}
