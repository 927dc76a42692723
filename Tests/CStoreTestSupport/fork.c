#include "CStoreTestSupport.h"
#include <unistd.h>

pid_t authkit_test_fork(void) { return fork(); }
