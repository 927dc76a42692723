#pragma once
/// Function-like and cast macros of OpenSSL that Swift cannot import.
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <stddef.h>

EVP_PKEY *authkit_rsa_generate(unsigned int bits);
/// The selections of `EVP_PKEY_fromdata`; the macros are expressions with casts.
int authkit_selection_public_key(void);
int authkit_selection_key_pair(void);

/// Elliptic-curve keys below EVP, which looks a curve up by its name for every key it takes: that costs as much as half
/// a signature. These copy the group they are given. OpenSSL marks the functions beneath as old in favor of EVP.
///
/// A new key from an uncompressed point, which must lie on the curve, and, unless null, the scalar, which must be in
/// range; null: refused, or no memory.
EC_KEY *authkit_ec_key_new(
    const EC_GROUP *group, const unsigned char *point, size_t point_count, const unsigned char *scalar,
    size_t scalar_count);
/// A new key pair; null: the random generator failed, or no memory.
EC_KEY *authkit_ec_key_generate(const EC_GROUP *group);
void authkit_ec_key_free(EC_KEY *key);
/// Writes the point, uncompressed; 1 on success.
int authkit_ec_key_point(const EC_KEY *key, unsigned char *point, size_t count);
/// Writes the scalar in big endian, filled up to `count` bytes; 1 on success.
int authkit_ec_key_scalar(const EC_KEY *key, unsigned char *scalar, size_t count);
/// Whether the halves of a pair belong together, and are sound.
int authkit_ec_key_check(const EC_KEY *key);
/// Signs a digest: writes r and s, each `width` bytes; 1 on success. Several threads may sign with one key.
int authkit_ec_sign(EC_KEY *key, const unsigned char *digest, size_t count, unsigned char *signature, size_t width);
/// 1: r and s, each `width` bytes, sign the digest; 0: they do not; -1: no memory, or another failure.
int authkit_ec_verify(
    EC_KEY *key, const unsigned char *digest, size_t count, const unsigned char *signature, size_t width);

/// Random bytes of the kernel, which need no state in this process that a fork would copy; 0 when it has none to give.
/// OpenSSL's generator asks the kernel for the process's identity at each call to see forks, and costs three times as much.
int authkit_random(void *bytes, size_t count);

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
