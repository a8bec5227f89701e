/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A test of a library prints only what is wrong, and then ends with status 1.

     CHECK(y[0] == 1);
     OK(pbc_basics_Smooth(c, &a, &b));
     FAILS(PBC_ERROR_SIZE, "B[n] is to be [3]", pbc_basics_Smooth(c, &a, &b));   // the message has this part

   The last two need the functions MESSAGE(context) and a variable `c`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                        \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

#define OK(call)                                                                                             \
  do {                                                                                                       \
    const int status_ = (call);                                                                              \
    if (status_ != PBC_OK) {                                                                                 \
      fprintf(stderr, "%s:%d: %s: status %d, %s\n", __FILE__, __LINE__, #call, status_, MESSAGE(c));         \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

#define FAILS(status, part, call)                                                                            \
  do {                                                                                                       \
    const int status_ = (call);                                                                              \
    if (status_ != (status) || !strstr(MESSAGE(c), part)) {                                                  \
      fprintf(stderr, "%s:%d: %s: status %d, %s\n", __FILE__, __LINE__, #call, status_, MESSAGE(c));         \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)
