/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* opened: other */

/* A library that is found when the program runs, by its tables, and closed again, many times. */
#include <dlfcn.h>
#include <pthread.h>
#include "other.h"
#define MESSAGE l->message
#include "check.h"

static void *use(void *given) {
  const pbc_library *l = given;
  pbc_context *c = NULL;
  double x[300] = {1, 2, 3}, y[300];
  pbc_array X = pbc_array_1d(x, PBC_F64, 300), Y = pbc_array_1d(y, PBC_F64, 300), *arrays[] = {&X, &Y};
  OK(l->create(l->abi_version, NULL, &c));
  OK(l->call(c, 0, arrays, NULL, 0));
  CHECK(y[2] == 9);
  X.rank = 2;
  FAILS(PBC_ERROR_ARGUMENT, "has 1 dimension", l->call(c, 0, arrays, NULL, 0));
  l->destroy(c);
  return NULL;
}

int main(void) {
  for (int round = 0; round < 20; ++round) {
    void *library = dlopen("./libother.so", RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    const pbc_library *(*find)(void);
    *(void **)&find = dlsym(library, "pbc_this_library");
    CHECK(find);
    const pbc_library *l = find();
    CHECK(l->abi_version == PBC_ABI_VERSION && l->function_count == 1 && !strcmp(l->functions[0].symbol, "pbc_other_Smooth"));
    use((void *)l);
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, use, (void *)l));
    pthread_join(thread, NULL);
    CHECK(!dlclose(library));
  }
  return 0;
}
