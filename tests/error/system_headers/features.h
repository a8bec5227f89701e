// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stands before that of the C library, as one does that belongs to a package of which another is missing.
#include <no_such_system_header.h>
