#pragma once
#include <sys/types.h>
/// fork(2), which Swift does not import.
pid_t authkit_test_fork(void);
