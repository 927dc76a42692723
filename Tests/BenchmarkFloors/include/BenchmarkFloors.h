// The least that each operation can cost: the C library alone, called as well as it can be. Benches take these in the
// same run as what they measure, and report the ratio.
#ifndef BENCHMARK_FLOORS_H
#define BENCHMARK_FLOORS_H

#include <stddef.h>
#include <stdint.h>

// A P-256 key and its signing context, both kept, as `openssl speed` does.
typedef struct floor_signer floor_signer;
floor_signer *floor_signer_new(void);
void floor_signer_free(floor_signer *signer);
// Hashes and signs `length` bytes `count` times (SHA256, EVP_PKEY_sign); returns how many signatures were made.
size_t floor_sign(floor_signer *signer, const uint8_t *message, size_t length, size_t count);

// A P-256 key as a store keeps it: scalar and point.
typedef struct floor_importer floor_importer;
floor_importer *floor_importer_new(void);
void floor_importer_free(floor_importer *importer);
// Imports the key, hashes and signs (EVP_PKEY_fromdata, SHA256, EVP_PKEY_sign), `count` times; returns how many
// signatures were made.
size_t floor_import_and_sign(floor_importer *importer, const uint8_t *message, size_t length, size_t count);

// A P-256 signature with its public point, as a relying party stores and receives them.
typedef struct floor_verifier floor_verifier;
floor_verifier *floor_verifier_new(
    const uint8_t point[65], const uint8_t *signature, size_t signature_length, const uint8_t *message, size_t length);
void floor_verifier_free(floor_verifier *verifier);
// Imports the point, hashes the message and verifies (EVP_PKEY_fromdata, SHA256, EVP_PKEY_verify), `count` times;
// returns how many signatures were right.
size_t floor_import_and_verify(floor_verifier *verifier, size_t count);

// One scrypt derivation of 32 bytes; 1 on success.
int floor_scrypt(uint64_t n, uint32_t r, uint32_t p);

// A table (id TEXT PRIMARY KEY, content BLOB) in WAL mode, synchronous=FULL.
typedef struct floor_database floor_database;
floor_database *floor_database_open(const char *path);
void floor_database_close(floor_database *database);
// Adds rows of `size` bytes until there are `rows`, in one transaction; 1 on success.
int floor_database_fill(floor_database *database, size_t rows, size_t size);
// Reads `count` rows by primary key, spread over the table; returns how many were found.
size_t floor_database_read(floor_database *database, size_t rows, size_t count);
// Fills the log once, without waiting for the disk: from then on it is overwritten, which the disk does several times
// faster than making a file longer. 1 on success.
int floor_database_turn_log(floor_database *database);
// Commits `count` one-row updates, each durable; returns how many succeeded.
size_t floor_database_commit(floor_database *database, size_t count);

// Adds `rows` copies of the first keys to a key store's file, for look-ups in a large table; 1 on success.
int floor_clone_keys(const char *path, size_t rows);

// A libmicrohttpd server on 127.0.0.1 that returns the body of each POST, one epoll thread.
typedef struct floor_echo floor_echo;
floor_echo *floor_echo_start(void);
uint16_t floor_echo_port(const floor_echo *echo);
void floor_echo_stop(floor_echo *echo);

#endif
