#pragma once
/// Function-like and cast macros of OpenSSL that Swift cannot import.
#include <openssl/evp.h>

EVP_PKEY *authkit_ec_generate(const char *curve);
EVP_PKEY *authkit_rsa_generate(unsigned int bits);
/// The selections of `EVP_PKEY_fromdata`; the macros are expressions with casts.
int authkit_selection_public_key(void);
int authkit_selection_key_pair(void);
