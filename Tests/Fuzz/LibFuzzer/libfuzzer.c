#include "LibFuzzer.h"

__attribute__((weak)) int LLVMFuzzerRunDriver(int *count, char ***arguments, fuzz_one one);

int fuzz_run(int *count, char ***arguments, fuzz_one one) {
  return LLVMFuzzerRunDriver == NULL ? -1 : LLVMFuzzerRunDriver(count, arguments, one);
}
