#define OPENSSL_SUPPRESS_DEPRECATED
#include "COpenSSLShims.h"
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <string.h>

EVP_PKEY *authkit_ec_generate(const char *curve) { return EVP_EC_gen(curve); }
EVP_PKEY *authkit_rsa_generate(unsigned int bits) { return EVP_RSA_gen(bits); }
int authkit_selection_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }
int authkit_selection_key_pair(void) { return EVP_PKEY_KEYPAIR; }

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
