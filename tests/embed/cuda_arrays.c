/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: devices */

/* Arrays that a caller has allocated by CUDA's driver. As a test it has the project's own driver (PB_CUDA_DRIVER), whose kernels compute nothing, so
   that all steps run on the processor and cells come and go; with the real driver, steps run on the GPU, too. */
#include "devices.h"
#define MESSAGE pbc_devices_message
#include "check.h"
#include <dlfcn.h>

enum { N = 1000 };

static pbc_context *c;
static char said[4096];
static void *driver, *stream;

static void say(void *user, const char *text) {
  (void)user;
  strncat(said, text, sizeof said - strlen(said) - 2);
  strcat(said, "\n");
}

/* Calls a function of the driver. */
#define CUDA(name, parameters, ...)                                                                          \
  do {                                                                                                       \
    int(*function_) parameters;                                                                              \
    *(void **)&function_ = dlsym(driver, name);                                                              \
    CHECK(function_ && function_ __VA_ARGS__ == 0);                                                          \
  } while (0)

static unsigned long long allocated(void) {
  unsigned long long address = 0;
  CUDA("cuMemAlloc_v2", (unsigned long long *, size_t), (&address, N * sizeof(double)));
  return address;
}

static void put(unsigned long long to, const double *cells) {
  CUDA("cuMemcpyHtoDAsync_v2", (unsigned long long, const void *, size_t, void *), (to, cells, N * sizeof *cells, stream));
  CUDA("cuStreamSynchronize", (void *), (stream));
}

static void get(double *cells, unsigned long long from) {
  CUDA("cuMemcpyDtoHAsync_v2", (void *, unsigned long long, size_t, void *), (cells, from, N * sizeof *cells, stream));
  CUDA("cuStreamSynchronize", (void *), (stream));
}

static pbc_array there(unsigned long long address, int n) {
  pbc_array a = pbc_array_1d((void *)(uintptr_t)address, PBC_F64, n);
  a.place = PBC_CUDA;
  return a;
}

static void with(const char *configuration) {
  pbc_options options = {0};
  options.configuration = configuration, options.devices = "cuda:0", options.threads = 2, options.say = say;
  said[0] = 0;
  OK(pbc_devices_create(&options, &c));
}

static void sums(unsigned long long a, unsigned long long b) {
  double host[N], back[N];
  for (int i = 0; i < N; ++i)
    host[i] = i % 77;
  put(a, host);
  const pbc_array A = there(a, N), Tail = there(a + 8 * 3, N - 3);
  pbc_array B = there(b, N), InPlace = there(b, N - 3), OnHost = pbc_array_1d(back, PBC_F64, N);
  for (int round = 1; round < 4; ++round) {
    OK(pbc_devices_Sums(c, &A, round, &B));
    get(back, b);
    for (int i = 0; i < N; ++i)
      CHECK(back[i] == round * host[i] + 1);
  }
  OK(pbc_devices_Sums(c, &Tail, 2, &InPlace)); /* begins at no multiple of 16 bytes */
  get(back, b);
  for (int i = 0; i < N; ++i)
    CHECK(back[i] == (i < N - 3 ? 2 * host[i + 3] + 1 : 3 * host[i] + 1));
  OK(pbc_devices_Sums(c, &B, 0, &B));
  OK(pbc_devices_Sums(c, &B, 5, &OnHost));
  CHECK(back[0] == 6 && back[N - 1] == 6);
  pbc_array Wrong = OnHost;
  Wrong.place = PBC_CUDA;
  FAILS(PBC_ERROR_DEVICE, "Sums: the array A cannot be used on its device: the memory is not that of", pbc_devices_Sums(c, &Wrong, 2, &B));
}

int main(void) {
  const char *own = getenv("PB_CUDA_DRIVER");
  driver = dlopen(own ? own : "libcuda.so.1", RTLD_NOW);
  CHECK(driver);
  int device;
  void *context;
  CUDA("cuInit", (unsigned), (0));
  CUDA("cuDeviceGet", (int *, int), (&device, 0));
  CUDA("cuDevicePrimaryCtxRetain", (void **, int), (&context, device));
  CUDA("cuCtxSetCurrent", (void *), (context));
  CUDA("cuStreamCreate", (void **, unsigned), (&stream, 1));
  const unsigned long long a = allocated(), b = allocated();
  with("");
  sums(a, b);
  pbc_devices_destroy(c);
  if (!own) {
    FILE *f = fopen("places.cfg", "w");
    CHECK(f);
    fputs("program = \"devices\"\n[Sums]\nsequential_cutoff = 0\nplace_rule0 = \"gpu_registers\"\n", f);
    fclose(f);
    setenv("PB_DEVICE_COUNTERS", "1", 1);
    with("places.cfg");
    sums(a, b);
    pbc_devices_destroy(c);
    CHECK(!strstr(said, "processor") && strstr(said, "copies in (0 bytes), 1 copies out (8000 bytes)"));
  }
  CUDA("cuMemFree_v2", (unsigned long long), (a)); /* the arrays are still the caller's */
  CUDA("cuMemFree_v2", (unsigned long long), (b));
  CUDA("cuStreamDestroy_v2", (void *), (stream));
  return 0;
}
