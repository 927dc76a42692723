#include "BenchmarkFloors.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/sha.h>
#include <stdlib.h>

struct floor_signer {
  EVP_PKEY *key;
  EVP_PKEY_CTX *context;
};

floor_signer *floor_signer_new(void) {
  floor_signer *signer = calloc(1, sizeof *signer);
  if (signer == NULL) return NULL;
  signer->key = EVP_EC_gen("P-256");
  signer->context = EVP_PKEY_CTX_new(signer->key, NULL);
  if (signer->context == NULL || EVP_PKEY_sign_init(signer->context) != 1) {
    floor_signer_free(signer);
    return NULL;
  }
  return signer;
}

void floor_signer_free(floor_signer *signer) {
  if (signer == NULL) return;
  EVP_PKEY_CTX_free(signer->context);
  EVP_PKEY_free(signer->key);
  free(signer);
}

size_t floor_sign(floor_signer *signer, const uint8_t *message, size_t length, size_t count) {
  size_t made = 0;
  for (; made < count; made++) {
    unsigned char digest[32], signature[80];
    size_t size = sizeof signature;
    SHA256(message, length, digest);
    if (EVP_PKEY_sign(signer->context, signature, &size, digest, sizeof digest) != 1) break;
  }
  return made;
}

int floor_scrypt(uint64_t n, uint32_t r, uint32_t p) {
  EVP_KDF *kdf = EVP_KDF_fetch(NULL, "SCRYPT", NULL);
  EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
  uint64_t limit = (uint64_t)2 << 30;
  unsigned char out[32];
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, "482913", 6),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, "0123456789abcdef", 16),
      OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
      OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &r),
      OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &p),
      OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &limit),
      OSSL_PARAM_construct_end(),
  };
  int good = context != NULL && EVP_KDF_derive(context, out, sizeof out, parameters) == 1;
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(kdf);
  return good;
}
