/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: basics */

/* Eight threads on one context, and on eight: right results, messages of the right thread, no growth of memory. */
#include "basics.h"
#define MESSAGE pbc_basics_message
#include "check.h"
#include <pthread.h>
#include <unistd.h>

enum { kThreads = 8, kSmall = 20, kLarge = 20000 };

struct Job {
  pbc_context *context;
  int number, rounds;
};

static void *work(void *given) {
  const struct Job *job = given;
  pbc_context *c = job->context;
  double *in = malloc(sizeof(double) * kLarge), *out = malloc(sizeof(double) * kLarge);
  for (int round = 0; round < job->rounds; ++round) {
    const int n = round % 4 ? kSmall : kLarge;
    for (int i = 0; i < n; ++i)
      in[i] = i + job->number;
    pbc_array a = pbc_array_1d(in, PBC_F64, n), b = pbc_array_1d(out, PBC_F64, n);
    OK(pbc_basics_Smooth(c, &a, &b));
    for (int i = 0; i < n; ++i)
      CHECK(out[i] == i + job->number);
    char expected[80];
    pbc_array shorter = pbc_array_1d(out, PBC_F64, n - 1 - job->number);
    snprintf(expected, sizeof expected, "B[n] is [%d]", n - 1 - job->number);
    FAILS(PBC_ERROR_SIZE, expected, pbc_basics_Smooth(c, &a, &shorter));
    in[0] = 1;
    FAILS(PBC_ERROR_RULE, "unwilling", pbc_basics_Fail(c, &a, &b));
    pbc_array made = pbc_array_wanted(), other = made;
    OK(pbc_basics_Memoized(c, &a, &made, &other));
    CHECK(((double *)made.data)[n - 1] == 2 * in[n - 1]);
    pbc_basics_free(&made);
    pbc_basics_free(&other);
  }
  free(in), free(out);
  return NULL;
}

static void run(int contexts, int rounds) {
  pthread_t threads[kThreads];
  struct Job jobs[kThreads];
  pbc_context *all[kThreads];
  pbc_options options = {0};
  options.threads = 2;
  for (int k = 0; k < contexts; ++k)
    CHECK(pbc_basics_create(&options, all + k) == PBC_OK);
  for (int k = 0; k < kThreads; ++k) {
    jobs[k] = (struct Job){all[k % contexts], k, rounds};
    CHECK(pthread_create(threads + k, NULL, work, jobs + k) == 0);
  }
  for (int k = 0; k < kThreads; ++k)
    pthread_join(threads[k], NULL);
  for (int k = 0; k < contexts; ++k)
    pbc_basics_destroy(all[k]);
}

static long pages(void) {
  long total = 0, resident = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  CHECK(f && fscanf(f, "%ld %ld", &total, &resident) == 2);
  fclose(f);
  return resident;
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 40;
  run(1, rounds);
  run(kThreads, rounds);
  const long before = pages();
  for (int k = 0; k < 3; ++k)
    run(1, rounds), run(kThreads, rounds);
  CHECK(pages() - before < 4096); /* 16 MiB: what pools and stacks of ended threads leave */
  return 0;
}
