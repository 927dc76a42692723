#include "COpenSSLShims.h"
#include <openssl/ec.h>
#include <openssl/rsa.h>

EVP_PKEY *authkit_ec_generate(const char *curve) { return EVP_EC_gen(curve); }
EVP_PKEY *authkit_rsa_generate(unsigned int bits) { return EVP_RSA_gen(bits); }
int authkit_selection_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }
int authkit_selection_key_pair(void) { return EVP_PKEY_KEYPAIR; }
