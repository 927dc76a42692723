#pragma once
/// Variadic functions and cast constants of SQLite that Swift cannot import.
#include <sqlite3.h>

/// Sets a boolean database option (`sqlite3_db_config` with one of the SQLITE_DBCONFIG switches).
int authkit_sqlite_set_option(sqlite3 *db, int option, int on);
/// `SQLITE_TRANSIENT`: SQLite copies the bound value at once.
int authkit_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count);
int authkit_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count);

/// Renames a file in one step, and only if nothing has the new name; otherwise -1, with EEXIST in `errno`.
/// EINVAL or ENOSYS where the file system cannot.
int authkit_rename_exclusively(const char *from, const char *to);
