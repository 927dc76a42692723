#pragma once
/// The variadic functions of libcurl that Swift cannot import.
#include <curl/curl.h>

CURLcode authkit_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode authkit_curl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode authkit_curl_set_pointer(CURL *handle, CURLoption option, const void *value);
CURLcode authkit_curl_set_write(CURL *handle, CURLoption option, curl_write_callback value);
CURLcode authkit_curl_get_long(CURL *handle, CURLINFO info, long *value);
CURLcode authkit_curl_set_read(CURL *handle, CURLoption option, curl_read_callback value);
CURLcode authkit_curl_set_seek(CURL *handle, CURLoption option, curl_seek_callback value);
CURLMcode authkit_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
