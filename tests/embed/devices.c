/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: devices */

/* Contexts whose configuration places steps on devices, here the fake one: arrays of callers with any strides, several threads, outputs over
   inputs, devices that are lost, devices that are not there. */
#include "devices.h"
#define MESSAGE pbc_devices_message
#include "check.h"
#include <math.h>
#include <pthread.h>

enum { W = 37, H = 23, K = 6 };

static pbc_context *c;
static char said[4096];
static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;

static void say(void *user, const char *text) {
  (void)user;
  pthread_mutex_lock(&saying);
  strncat(said, text, sizeof said - strlen(said) - 2);
  strcat(said, "\n");
  pthread_mutex_unlock(&saying);
}

static pbc_context *with(const char *devices, int threads, const char *configuration) {
  pbc_options options = {0};
  options.configuration = configuration;
  options.threads = threads;
  options.devices = devices;
  options.say = say;
  said[0] = 0;
  OK(pbc_devices_create(&options, &c));
  return c;
}

static void fill(double *a, int n) {
  for (int i = 0; i < n; ++i)
    a[i] = (i * 7919 % 1009) / 16.0;
}

static double expected[W * H], most;

static int differs(const double *b, long row) {
  for (int y = 0; y < H; ++y)
    for (int x = 0; x < W; ++x)
      if (fabs(b[y * row + x] - expected[y * W + x]) > 1e-12)
        return 1;
  return 0;
}

static void packed(pbc_context *context) {
  double a[W * H], b[W * H], m = -1;
  fill(a, W * H);
  const pbc_array A = pbc_array_2d(a, PBC_F64, W, H);
  pbc_array B = pbc_array_2d(b, PBC_F64, W, H);
  c = context;
  OK(pbc_devices_Rounds(context, &A, K, &B, &m));
  CHECK(!differs(b, W) && m == most);
}

/* Rows with gaps for the input, which goes from the last row to the first; memory on request for the output. */
static void strided(pbc_context *context) {
  static double wide[(W + 5) * H];
  double m = -1;
  pbc_array A = pbc_array_2d(wide + (W + 5) * (H - 1), PBC_F64, W, H), B = pbc_array_wanted();
  A.stride[1] = -(W + 5);
  for (int y = 0; y < H; ++y)
    for (int x = 0; x < W; ++x)
      wide[(W + 5) * (H - 1 - y) + x] = ((y * W + x) * 7919 % 1009) / 16.0;
  c = context;
  OK(pbc_devices_Rounds(context, &A, K, &B, &m));
  CHECK(!differs(B.data, W) && m == most);
  ((double *)B.data)[0] = -1; /* the memory is the caller's alone */
  pbc_devices_free(&B);
  double gaps[(W + 3) * H];
  A = pbc_array_2d(wide + (W + 5) * (H - 1), PBC_F64, W, H), A.stride[1] = -(W + 5);
  B = pbc_array_2d(gaps, PBC_F64, W, H), B.stride[1] = W + 3;
  for (int i = 0; i < (W + 3) * H; ++i)
    gaps[i] = -7;
  OK(pbc_devices_Rounds(context, &A, K, &B, &m));
  CHECK(!differs(gaps, W + 3));
  for (int y = 0; y < H; ++y)
    CHECK(gaps[y * (W + 3) + W] == -7 && gaps[y * (W + 3) + W + 2] == -7);
}

static void inPlace(pbc_context *context) {
  double a[W * H], m;
  fill(a, W * H);
  const pbc_array A = pbc_array_2d(a, PBC_F64, W, H);
  pbc_array B = A;
  c = context;
  OK(pbc_devices_Rounds(context, &A, K, &B, &m));
  CHECK(!differs(a, W) && m == most);
  double v[100];
  fill(v, 100);
  const pbc_array V = pbc_array_1d(v, PBC_F64, 99);
  pbc_array Shifted = pbc_array_1d(v + 1, PBC_F64, 99);
  OK(pbc_devices_Sums(context, &V, 2, &Shifted));
  CHECK(v[0] == 0 && v[1] == 1 && v[99] == 2 * ((98 * 7919 % 1009) / 16.0) + 1);
}

static void empty(pbc_context *context) {
  double m;
  const pbc_array A = pbc_array_1d(NULL, PBC_F64, 0);
  pbc_array B = pbc_array_1d(NULL, PBC_F64, 0);
  c = context;
  OK(pbc_devices_Sums(context, &A, 2, &B));
  (void)m;
}

static void *many(void *context) {
  for (int i = 0; i < 20; ++i)
    packed(context), strided(context);
  return NULL;
}

int main(void) {
  FILE *f = fopen("places.cfg", "w");
  CHECK(f);
  fputs("program = \"devices\"\n[Rounds]\nsequential_cutoff = 0\n\"place_rule0+rule1+rule2\" = \"gpu\"\nplace_rule3 = \"gpu\"\n"
        "[Sums]\nsequential_cutoff = 0\nplace_rule0 = \"gpu_registers\"\ncells_x_rule0 = 3\ngpu_ratio = 40\n", f);
  fclose(f);
  setenv("PB_FAKE_DEVICE", "", 1);
  double a[W * H];
  fill(a, W * H);
  const pbc_array A = pbc_array_2d(a, PBC_F64, W, H);
  pbc_array B = pbc_array_2d(expected, PBC_F64, W, H);
  pbc_context *plain = with(NULL, 1, "");
  OK(pbc_devices_Rounds(plain, &A, K, &B, &most));
  pbc_devices_destroy(plain);

  for (int threads = 1; threads <= 3; threads += 2) {
    pbc_context *context = with("fake", threads, "places.cfg");
    packed(context), strided(context), inPlace(context), empty(context);
    pthread_t all[4];
    for (int k = 0; k < 4; ++k)
      CHECK(!pthread_create(&all[k], NULL, many, context));
    for (int k = 0; k < 4; ++k)
      pthread_join(all[k], NULL);
    CHECK(!said[0]);
    pbc_devices_destroy(context);
  }

  /* Two contexts, one of which has a device. */
  pbc_context *one = with("fake", 1, "places.cfg"), *other = with("none", 2, "places.cfg");
  packed(one), packed(other), packed(one);
  CHECK(!said[0]);
  pbc_devices_destroy(one);
  packed(other);
  pbc_devices_destroy(other);

  pbc_context *without = with("opencl:77", 1, "places.cfg");
  CHECK(strstr(said, "there is none: they run on the processor"));
  packed(without);
  pbc_devices_destroy(without);

  /* A device that is lost: the run begins again without it, unless its inputs have been overwritten. */
  setenv("PB_FAKE_DEVICE", "fail=lost:2+", 1);
  pbc_context *lost = with("fake", 2, "places.cfg");
  packed(lost);
  CHECK(strstr(said, "the program begins again without a device"));
  packed(lost), strided(lost), inPlace(lost);
  pbc_devices_destroy(lost);
  setenv("PB_FAKE_DEVICE", "fail=launch:1+", 1);
  pbc_context *refusing = with("fake", 2, "places.cfg");
  packed(refusing), inPlace(refusing);
  CHECK(strstr(said, "runs on the processor"));
  pbc_devices_destroy(refusing);
  setenv("PB_FAKE_DEVICE", "fail=lost:2+", 1);
  lost = with("fake", 2, "places.cfg");
  double m;
  B = A;
  FAILS(PBC_ERROR_DEVICE, "lost", pbc_devices_Rounds(lost, &A, K, &B, &m));
  packed(lost);
  pbc_devices_destroy(lost);
  return 0;
}
