#include "BenchmarkFloors.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

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

struct floor_importer {
  EVP_PKEY_CTX *importer;
  uint8_t point[65];
  BIGNUM *scalar;
  OSSL_PARAM *parameters;
};

floor_importer *floor_importer_new(void) {
  floor_importer *importer = calloc(1, sizeof *importer);
  EVP_PKEY *key = EVP_EC_gen("P-256");
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  size_t size = 0;
  int good = importer != NULL && key != NULL && builder != NULL &&
             EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, importer->point, 65, &size) == 1 &&
             size == 65 && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &importer->scalar) == 1 &&
             OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
             OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, importer->point, 65) == 1 &&
             OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, importer->scalar) == 1 &&
             (importer->parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL &&
             (importer->importer = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL)) != NULL &&
             EVP_PKEY_fromdata_init(importer->importer) == 1;
  OSSL_PARAM_BLD_free(builder);
  EVP_PKEY_free(key);
  if (!good) {
    floor_importer_free(importer);
    return NULL;
  }
  return importer;
}

void floor_importer_free(floor_importer *importer) {
  if (importer == NULL) return;
  OSSL_PARAM_free(importer->parameters);
  BN_free(importer->scalar);
  EVP_PKEY_CTX_free(importer->importer);
  free(importer);
}

size_t floor_import_and_sign(floor_importer *importer, const uint8_t *message, size_t length, size_t count) {
  size_t made = 0;
  for (; made < count; made++) {
    EVP_PKEY *key = NULL;
    unsigned char digest[32], signature[80];
    size_t size = sizeof signature;
    SHA256(message, length, digest);
    int good = EVP_PKEY_fromdata(importer->importer, &key, EVP_PKEY_KEYPAIR, importer->parameters) == 1;
    EVP_PKEY_CTX *context = good ? EVP_PKEY_CTX_new(key, NULL) : NULL;
    good = context != NULL && EVP_PKEY_sign_init(context) == 1 &&
           EVP_PKEY_sign(context, signature, &size, digest, sizeof digest) == 1;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(key);
    if (!good) break;
  }
  return made;
}

struct floor_verifier {
  EVP_PKEY_CTX *importer;
  uint8_t point[65], signature[160], message[512];
  size_t signature_length, length;
};

floor_verifier *floor_verifier_new(
    const uint8_t point[65], const uint8_t *signature, size_t signature_length, const uint8_t *message, size_t length) {
  floor_verifier *verifier = calloc(1, sizeof *verifier);
  if (verifier == NULL || signature_length > sizeof verifier->signature || length > sizeof verifier->message) {
    free(verifier);
    return NULL;
  }
  memcpy(verifier->point, point, sizeof verifier->point);
  memcpy(verifier->signature, signature, signature_length);
  memcpy(verifier->message, message, length);
  verifier->signature_length = signature_length;
  verifier->length = length;
  verifier->importer = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  if (verifier->importer == NULL || EVP_PKEY_fromdata_init(verifier->importer) != 1) {
    floor_verifier_free(verifier);
    return NULL;
  }
  return verifier;
}

void floor_verifier_free(floor_verifier *verifier) {
  if (verifier == NULL) return;
  EVP_PKEY_CTX_free(verifier->importer);
  free(verifier);
}

size_t floor_import_and_verify(floor_verifier *verifier, size_t count) {
  size_t right = 0;
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, verifier->point, sizeof verifier->point),
      OSSL_PARAM_construct_end(),
  };
  for (; right < count; right++) {
    EVP_PKEY *key = NULL;
    unsigned char digest[32];
    SHA256(verifier->message, verifier->length, digest);
    int good = EVP_PKEY_fromdata(verifier->importer, &key, EVP_PKEY_PUBLIC_KEY, parameters) == 1;
    EVP_PKEY_CTX *context = good ? EVP_PKEY_CTX_new(key, NULL) : NULL;
    good = context != NULL && EVP_PKEY_verify_init(context) == 1 &&
           EVP_PKEY_verify(context, verifier->signature, verifier->signature_length, digest, sizeof digest) == 1;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(key);
    if (!good) break;
  }
  return right;
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
