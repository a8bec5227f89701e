/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: devices */
/* library: pointers */

/* Arrays that lie on a device, here the fake one: used where they lie by steps that run there, copied for steps on the processor, and back.
   The context counts the copies. */
#include "devices.h"
#include "pointers.h"
#define MESSAGE pbc_devices_message
#include "check.h"
#include <math.h>
#include <pthread.h>

enum { N = 99, W = 37, H = 23, K = 6 };

static pbc_context *c;
static char said[8192];
static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;

static void say(void *user, const char *text) {
  (void)user;
  pthread_mutex_lock(&saying);
  strncat(said, text, sizeof said - strlen(said) - 2);
  strcat(said, "\n");
  pthread_mutex_unlock(&saying);
}

static void begin(const char *devices, int threads, const char *configuration) {
  pbc_options options = {0};
  options.configuration = configuration;
  options.threads = threads;
  options.devices = devices;
  options.say = say;
  said[0] = 0;
  OK(pbc_devices_create(&options, &c));
}

/* Ends the context, which then says what its devices were given; the message has to have this part. */
static void end(const char *counted) {
  pbc_devices_destroy(c);
  if (!strstr(said, counted)) {
    fprintf(stderr, "not said: %s\n%s", counted, said);
    exit(1);
  }
}

static pbc_array there(pbc_array array) {
  array.place = PBC_FAKE;
  return array;
}

static void fill(double *a, int n) {
  for (int i = 0; i < n; ++i)
    a[i] = (i * 7919 % 1009) / 16.0;
}

static double expected[W * H], most;

static void checkRounds(const double *b, long row) {
  for (int y = 0; y < H; ++y)
    for (int x = 0; x < W; ++x)
      CHECK(fabs(b[y * row + x] - expected[y * W + x]) < 1e-12);
}

static void checkSums(const double *b, double factor) {
  double a[N];
  fill(a, N);
  for (int i = 0; i < N; ++i)
    CHECK(b[i] == factor * a[i] + 1);
}

/* Memory with nothing that a caller has put there: on a device that the processor cannot see it would be the same. */
static void sums(void) {
  double *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b), host[N];
  fill(a, N);
  const pbc_array A = there(pbc_array_1d(a, PBC_F64, N));
  pbc_array B = there(pbc_array_1d(b, PBC_F64, N)), OnHost = pbc_array_1d(host, PBC_F64, N);
  OK(pbc_devices_Sums(c, &A, 2, &B));
  checkSums(b, 2);
  OK(pbc_devices_Sums(c, &A, 3, &B));
  checkSums(b, 3);
  OK(pbc_devices_Sums(c, &A, 4, &OnHost)); /* comes to the processor */
  checkSums(host, 4);
  fill(host, N);
  OK(pbc_devices_Sums(c, &OnHost, 5, &B)); /* and goes to the device */
  checkSums(b, 5);
  free(a), free(b);
}

/* The same memory as input and output, whole and with one cell between them, and every third cell backwards. */
static void views(void) {
  double a[3 * N + 1];
  fill(a, N);
  pbc_array B = there(pbc_array_1d(a, PBC_F64, N));
  const pbc_array A = B;
  OK(pbc_devices_Sums(c, &A, 2, &B));
  checkSums(a, 2);
  fill(a, N);
  pbc_array Shifted = there(pbc_array_1d(a + 1, PBC_F64, N));
  OK(pbc_devices_Sums(c, &A, 2, &Shifted));
  checkSums(a + 1, 2);
  CHECK(a[0] == 0);
  for (int i = 0; i < 3 * N; ++i)
    a[i] = -7;
  double in[N], backwards[N];
  fill(in, N);
  const pbc_array In = there(pbc_array_1d(in, PBC_F64, N));
  pbc_array Third = there(pbc_array_1d(a + 3 * (N - 1), PBC_F64, N));
  Third.stride[0] = -3;
  OK(pbc_devices_Sums(c, &In, 2, &Third));
  for (int i = 0; i < N; ++i) {
    backwards[i] = a[3 * (N - 1 - i)];
    CHECK(a[3 * i + 1] == -7 && a[3 * i + 2] == -7);
  }
  checkSums(backwards, 2);
  double one = 0.5, all[N];
  pbc_array Same = there(pbc_array_1d(&one, PBC_F64, N));
  Same.stride[0] = 0;
  pbc_array All = there(pbc_array_1d(all, PBC_F64, N));
  OK(pbc_devices_Sums(c, &Same, 2, &All));
  for (int i = 0; i < N; ++i)
    CHECK(all[i] == 2);
}

/* A transform with steps on the device and one on the processor, and gaps between the rows. */
static void rounds(void) {
  static double a[W * H], gaps[(W + 3) * H];
  double m = -1;
  fill(a, W * H);
  for (int i = 0; i < (W + 3) * H; ++i)
    gaps[i] = -7;
  const pbc_array A = there(pbc_array_2d(a, PBC_F64, W, H));
  pbc_array B = there(pbc_array_2d(gaps, PBC_F64, W, H));
  B.stride[1] = W + 3;
  OK(pbc_devices_Rounds(c, &A, K, &B, &m));
  checkRounds(gaps, W + 3);
  CHECK(m == most && gaps[W] == -7 && gaps[W + 2] == -7);
}

/* Inputs that are read by steps on the device, by bodies on the processor and by a transform that a body calls. */
static void mixed(void) {
  double a[N], b[N], called[N], last = 0;
  fill(a, N);
  const pbc_array A = there(pbc_array_1d(a, PBC_F64, N));
  pbc_array B = there(pbc_array_1d(b, PBC_F64, N)), C = there(pbc_array_1d(called, PBC_F64, N));
  OK(pbc_devices_Mixed(c, &A, &B, &last, &C));
  for (int i = 0; i < N; ++i)
    CHECK(b[i] == 2 * a[i]);
  CHECK(last == a[N - 1] + 1);
  checkSums(called, 3);
}

static void *many(void *unused) {
  for (int i = 0; i < 20; ++i) {
    double a[N], b[N];
    fill(a, N);
    const pbc_array A = there(pbc_array_1d(a, PBC_F64, N));
    pbc_array B = there(pbc_array_1d(b, PBC_F64, N));
    OK(pbc_devices_Sums(c, &A, i, &B));
    checkSums(b, i);
  }
  return unused;
}

static void refusals(void) {
  double a[N], b[N];
  fill(a, N);
  pbc_array A = there(pbc_array_1d(a, PBC_F64, N)), B = pbc_array_1d(b, PBC_F64, N);
  begin(NULL, 1, "");
  FAILS(PBC_ERROR_DEVICE, "Sums: the array A is on the device fake:0, and this context has no device: contexts have", pbc_devices_Sums(c, &A, 2, &B));
  end("");
  begin("fake", 1, "");
  A.device = 3;
  FAILS(PBC_ERROR_DEVICE, "the array A is on the device fake:3, and this context does not have it", pbc_devices_Sums(c, &A, 2, &B));
  A.place = PBC_CUDA, A.device = 0;
  FAILS(PBC_ERROR_DEVICE, "on the device cuda:0", pbc_devices_Sums(c, &A, 2, &B));
  A.place = 99;
  FAILS(PBC_ERROR_DEVICE, "the array A is in a place that this library does not know (number 99)", pbc_devices_Sums(c, &A, 2, &B));
  A = pbc_array_1d(a, PBC_F64, N), B = there(pbc_array_1d(b, PBC_F64, N - 1));
  FAILS(PBC_ERROR_SIZE, "B[n] is to be [99]", pbc_devices_Sums(c, &A, 2, &B));
  A = there(pbc_array_1d(NULL, PBC_F64, 0)), B = there(pbc_array_1d(NULL, PBC_F64, 0));
  OK(pbc_devices_Sums(c, &A, 2, &B));
  end(" copies in (0 bytes), 0 copies out (0 bytes)");
}

/* A program in which a rule asks for its memory gets it without gaps. */
static void withPointers(void) {
  double a[2 * N], b[N];
  pbc_options options = {0};
  options.configuration = "", options.devices = "fake";
  pbc_context *p;
  CHECK(!pbc_pointers_create(&options, &p));
  fill(a, 2 * N);
  pbc_array A = there(pbc_array_1d(a, PBC_F64, N)), B = there(pbc_array_1d(b, PBC_F64, N));
  A.stride[0] = 2;
  CHECK(!pbc_pointers_Reverse(p, &A, &B));
  for (int i = 0; i < N; ++i)
    CHECK(b[i] == a[2 * (N - 1 - i)]);
  double m[2][3] = {{1, 2, 3}, {4, 5, 6}}, t[3][2] = {{10, 20}, {30, 40}, {50, 60}};
  pbc_array M = there(pbc_array_2d(m, PBC_F64, 3, 2)), T = there(pbc_array_2d(t, PBC_F64, 3, 2));
  T.stride[0] = 2, T.stride[1] = 1; /* t is transposed; what it holds is added to */
  CHECK(!pbc_pointers_Add(p, &M, &T));
  CHECK(t[0][0] == 11 && t[1][0] == 32 && t[2][0] == 53 && t[0][1] == 24 && t[2][1] == 66);
  pbc_pointers_destroy(p);
}

int main(void) {
  FILE *f = fopen("places.cfg", "w");
  CHECK(f);
  fputs("program = \"devices\"\n[Rounds]\nsequential_cutoff = 0\n\"place_rule0+rule1+rule2\" = \"gpu\"\nplace_rule3 = \"gpu\"\n"
        "[Sums]\nsequential_cutoff = 0\nplace_rule0 = \"gpu_registers\"\n[Mixed]\nsequential_cutoff = 0\nplace_Twice = \"gpu\"\n", f);
  fclose(f);
  setenv("PB_FAKE_DEVICE", "", 1);
  setenv("PB_DEVICE_COUNTERS", "1", 1);
  double a[W * H];
  fill(a, W * H);
  const pbc_array A = pbc_array_2d(a, PBC_F64, W, H);
  pbc_array B = pbc_array_2d(expected, PBC_F64, W, H);
  begin("none", 1, "");
  OK(pbc_devices_Rounds(c, &A, K, &B, &most));
  end("");

  for (int threads = 1; threads <= 3; threads += 2) {
    begin("fake", threads, "places.cfg");
    sums(); /* only what comes from the processor, and what goes there */
    end(" copies in (792 bytes), 1 copies out (792 bytes)");
    begin("fake", threads, "places.cfg");
    rounds(); /* the program's own T goes there; the greatest cell is found by the processor, which reads B */
    end(" 1 copies in (13616 bytes), 1 copies out (6808 bytes)");
    begin("fake", threads, "places.cfg");
    views(), mixed();
    pthread_t all[4];
    for (int k = 0; k < 4; ++k)
      CHECK(!pthread_create(&all[k], NULL, many, NULL));
    for (int k = 0; k < 4; ++k)
      pthread_join(all[k], NULL);
    end("launches");
    /* Everything on the processor: inputs come, results go. */
    begin("fake", threads, "");
    sums(), rounds(), views(), mixed();
    end("fake device 0: 0 launches");
  }
  /* A slow device: what a call has begun is over when it returns. */
  setenv("PB_FAKE_DEVICE", "latency=3ms", 1);
  begin("fake", 2, "places.cfg");
  sums(), rounds(), views(), mixed();
  end("launches");
  /* Two devices: a step runs on one of them, and its arrays lie on both. */
  for (int peers = 0; peers < 2; ++peers) {
    setenv("PB_FAKE_DEVICE", peers ? "devices=2" : "devices=2;peers=0", 1);
    begin("fake:0,fake:1", 2, "places.cfg");
    double onBoth[2][N];
    fill(onBoth[0], N);
    for (int device = 0; device < 2; ++device) {
      pbc_array First = there(pbc_array_1d(onBoth[0], PBC_F64, N)), Second = there(pbc_array_1d(onBoth[1], PBC_F64, N));
      First.device = device, Second.device = 1 - device;
      OK(pbc_devices_Sums(c, &First, 2 + device, &Second));
      checkSums(onBoth[1], 2 + device);
    }
    end("fake device 1: ");
  }
  /* A device that refuses what it is given, and one that is lost. */
  setenv("PB_FAKE_DEVICE", "fail=launch:1+", 1);
  begin("fake", 2, "places.cfg");
  sums(), rounds(), mixed();
  end("runs on the processor");
  setenv("PB_FAKE_DEVICE", "fail=lost:1+", 1);
  begin("fake", 2, "places.cfg");
  double b[N];
  const pbc_array In = there(pbc_array_1d(a, PBC_F64, N));
  pbc_array Out = there(pbc_array_1d(b, PBC_F64, N));
  FAILS(PBC_ERROR_DEVICE, "lost", pbc_devices_Sums(c, &In, 2, &Out));
  FAILS(PBC_ERROR_DEVICE, "lost", pbc_devices_Sums(c, &In, 2, &Out));
  end("");
  setenv("PB_FAKE_DEVICE", "", 1);
  refusals();
  withPointers();
  return 0;
}
