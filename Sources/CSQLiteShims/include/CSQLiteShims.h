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

/// How many bytes at the start of the shared index of a write-ahead log change with every commit: its header, twice.
#define AUTHKIT_WAL_HEADER_SIZE 96

/// Copies the header of the shared index out of the memory that SQLite has mapped for `db`. 0: there is none, as the
/// database keeps no write-ahead log. No system call once the index is mapped; the caller must be the connection's
/// only user.
int authkit_sqlite_wal_header(sqlite3 *db, unsigned char header[AUTHKIT_WAL_HEADER_SIZE]);

/// Whether the header of the shared index is still this one: if so, nobody has committed anything since.
int authkit_sqlite_wal_is_unchanged(sqlite3 *db, const unsigned char header[AUTHKIT_WAL_HEADER_SIZE]);
