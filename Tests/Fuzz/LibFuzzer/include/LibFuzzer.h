// libFuzzer's entry point. Weak: without `-sanitize=fuzzer` it is null, and the driver replays instead.
#ifndef LIBFUZZER_H
#define LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

typedef int (*fuzz_one)(const uint8_t *data, size_t size);

// Runs libFuzzer with its command line; -1 when the program was built without it.
int fuzz_run(int *count, char ***arguments, fuzz_one one);

#endif
