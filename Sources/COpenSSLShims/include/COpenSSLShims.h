#pragma once
/// Function-like and cast macros of OpenSSL that Swift cannot import.
#include <openssl/evp.h>
#include <stddef.h>

EVP_PKEY *authkit_ec_generate(const char *curve);
EVP_PKEY *authkit_rsa_generate(unsigned int bits);
/// The selections of `EVP_PKEY_fromdata`; the macros are expressions with casts.
int authkit_selection_public_key(void);
int authkit_selection_key_pair(void);

/// SHA-2 without allocation, so without failure. OpenSSL marks these functions as old in favor of EVP, whose contexts
/// live on the heap and whose algorithm look-up costs as much as hashing a short message.
void authkit_sha256(const void *bytes, size_t count, unsigned char digest[32]);
void authkit_sha384(const void *bytes, size_t count, unsigned char digest[48]);
void authkit_sha512(const void *bytes, size_t count, unsigned char digest[64]);

/// Incremental SHA-256; the state is plain memory of this size, aligned to 8, that may be copied.
size_t authkit_sha256_state_size(void);
void authkit_sha256_start(void *state);
void authkit_sha256_update(void *state, const void *bytes, size_t count);
void authkit_sha256_finish(void *state, unsigned char digest[32]);

/// HMAC-SHA256 (RFC 2104).
void authkit_hmac_sha256(
    const void *key, size_t key_count, const void *bytes, size_t count, unsigned char code[32]);
