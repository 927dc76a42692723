#define OPENSSL_SUPPRESS_DEPRECATED
#include "COpenSSLShims.h"
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <string.h>
#include <unistd.h>

EVP_PKEY *authkit_rsa_generate(unsigned int bits) { return EVP_RSA_gen(bits); }
int authkit_selection_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }
int authkit_selection_key_pair(void) { return EVP_PKEY_KEYPAIR; }

EC_KEY *authkit_ec_key_new(
    const EC_GROUP *group, const unsigned char *point, size_t point_count, const unsigned char *scalar,
    size_t scalar_count) {
  EC_KEY *key = EC_KEY_new();
  int good = key && EC_KEY_set_group(key, group) == 1 && EC_KEY_oct2key(key, point, point_count, NULL) == 1;
  if (good && scalar) {
    BIGNUM *number = BN_secure_new();
    good = number && BN_bin2bn(scalar, (int)scalar_count, number) && !BN_is_zero(number) &&
           BN_cmp(number, EC_GROUP_get0_order(group)) < 0;
    if (good) {
      BN_set_flags(number, BN_FLG_CONSTTIME);
      good = EC_KEY_set_private_key(key, number) == 1;
    }
    BN_clear_free(number);
  }
  if (good) return key;
  EC_KEY_free(key);
  return NULL;
}

EC_KEY *authkit_ec_key_generate(const EC_GROUP *group) {
  EC_KEY *key = EC_KEY_new();
  if (key && EC_KEY_set_group(key, group) == 1 && EC_KEY_generate_key(key) == 1) return key;
  EC_KEY_free(key);
  return NULL;
}

void authkit_ec_key_free(EC_KEY *key) { EC_KEY_free(key); }

int authkit_ec_key_point(const EC_KEY *key, unsigned char *point, size_t count) {
  const EC_POINT *found = EC_KEY_get0_public_key(key);
  return found && EC_POINT_point2oct(EC_KEY_get0_group(key), found, POINT_CONVERSION_UNCOMPRESSED, point, count,
                                     NULL) == count;
}

int authkit_ec_key_scalar(const EC_KEY *key, unsigned char *scalar, size_t count) {
  const BIGNUM *found = EC_KEY_get0_private_key(key);
  return found && BN_bn2binpad(found, scalar, (int)count) == (int)count;
}

int authkit_ec_key_check(const EC_KEY *key) { return EC_KEY_check_key(key); }

int authkit_ec_sign(EC_KEY *key, const unsigned char *digest, size_t count, unsigned char *signature, size_t width) {
  ECDSA_SIG *made = ECDSA_do_sign(digest, (int)count, key);
  int good = made && BN_bn2binpad(ECDSA_SIG_get0_r(made), signature, (int)width) == (int)width &&
             BN_bn2binpad(ECDSA_SIG_get0_s(made), signature + width, (int)width) == (int)width;
  ECDSA_SIG_free(made);
  return good;
}

int authkit_ec_verify(
    EC_KEY *key, const unsigned char *digest, size_t count, const unsigned char *signature, size_t width) {
  ECDSA_SIG *given = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(signature, (int)width, NULL), *s = BN_bin2bn(signature + width, (int)width, NULL);
  if (!given || !r || !s || ECDSA_SIG_set0(given, r, s) != 1) {
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(given);
    return -1;
  }
  int verdict = ECDSA_do_verify(digest, (int)count, given, key);
  ECDSA_SIG_free(given);
  return verdict;
}

int authkit_random(void *bytes, size_t count) {
  unsigned char *next = bytes;
  while (count > 0) {
    // The most that one call gives.
    size_t part = count < 256 ? count : 256;
    if (getentropy(next, part) != 0) return 0;
    next += part;
    count -= part;
  }
  return 1;
}

void authkit_sha256(const void *bytes, size_t count, unsigned char digest[32]) {
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, bytes, count);
  SHA256_Final(digest, &state);
}

void authkit_sha384(const void *bytes, size_t count, unsigned char digest[48]) {
  SHA512_CTX state;
  SHA384_Init(&state);
  SHA384_Update(&state, bytes, count);
  SHA384_Final(digest, &state);
}

void authkit_sha512(const void *bytes, size_t count, unsigned char digest[64]) {
  SHA512_CTX state;
  SHA512_Init(&state);
  SHA512_Update(&state, bytes, count);
  SHA512_Final(digest, &state);
}

size_t authkit_sha256_state_size(void) { return sizeof(SHA256_CTX); }
void authkit_sha256_start(void *state) { SHA256_Init(state); }
void authkit_sha256_update(void *state, const void *bytes, size_t count) { SHA256_Update(state, bytes, count); }
void authkit_sha256_finish(void *state, unsigned char digest[32]) { SHA256_Final(digest, state); }

void authkit_hmac_sha256(
    const void *key, size_t key_count, const void *bytes, size_t count, unsigned char code[32]) {
  unsigned char block[SHA256_CBLOCK] = {0};
  SHA256_CTX state;
  if (key_count > sizeof block) {
    authkit_sha256(key, key_count, block);
  } else if (key_count > 0) {
    memcpy(block, key, key_count);
  }
  for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36;
  SHA256_Init(&state);
  SHA256_Update(&state, block, sizeof block);
  SHA256_Update(&state, bytes, count);
  SHA256_Final(code, &state);
  for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5c;
  SHA256_Init(&state);
  SHA256_Update(&state, block, sizeof block);
  SHA256_Update(&state, code, 32);
  SHA256_Final(code, &state);
  OPENSSL_cleanse(block, sizeof block);
  OPENSSL_cleanse(&state, sizeof state);
}
