/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: seeds */

/* Random numbers follow from the seed of the context: not from other contexts, from what the thread drew before, nor from which thread it is. */
#include "seeds.h"
#define MESSAGE pbc_seeds_message
#include "check.h"
#include <pthread.h>

enum { N = 50 };

static pbc_context *with(uint64_t seed) {
  pbc_options options = {0};
  pbc_context *c;
  options.configuration = "", options.threads = 1, options.seed = seed;
  OK(pbc_seeds_create(&options, &c));
  return c;
}

static void draw(pbc_context *c, double *to) {
  pbc_array A = pbc_array_1d(to, PBC_F64, N);
  OK(pbc_seeds_Draw(c, 0, N, &A));
  for (int i = 0; i < N; ++i)
    CHECK(to[i] >= 0 && to[i] < 1 && (i == 0 || to[i] != to[i - 1]));
}

static int same(const double *a, const double *b) { return !memcmp(a, b, N * sizeof *a); }

struct Drawn {
  pbc_context *c;
  double first[N], second[N];
};

static void *drawTwice(void *drawn) {
  struct Drawn *d = drawn;
  draw(d->c, d->first), draw(d->c, d->second);
  return NULL;
}

static void inThread(struct Drawn *d) {
  pthread_t thread;
  CHECK(!pthread_create(&thread, NULL, drawTwice, d));
  pthread_join(thread, NULL);
}

int main(void) {
  struct Drawn one = {with(7), {0}, {0}}, again = {with(7), {0}, {0}}, other = {with(8), {0}, {0}}, usual = {with(0), {0}, {0}},
               first = {with(1), {0}, {0}}, fromThread = {with(7), {0}, {0}};
  drawTwice(&one);
  CHECK(!same(one.first, one.second));
  /* In turns with another context. */
  draw(again.c, again.first), draw(other.c, other.first), draw(again.c, again.second), draw(other.c, other.second);
  CHECK(same(one.first, again.first) && same(one.second, again.second));
  CHECK(!same(one.first, other.first) && !same(one.second, other.second));
  inThread(&fromThread);
  CHECK(same(one.first, fromThread.first) && same(one.second, fromThread.second));
  /* The second thread of a context has other numbers than the first, and the same ones in each context. */
  struct Drawn second = {one.c, {0}, {0}}, secondAgain = {fromThread.c, {0}, {0}};
  inThread(&second);
  drawTwice(&secondAgain);
  CHECK(!same(second.first, one.first) && !same(second.first, one.second) && same(second.first, secondAgain.first));
  drawTwice(&usual), drawTwice(&first);
  CHECK(same(usual.first, first.first) && !same(usual.first, one.first));
  pbc_context *all[] = {one.c, again.c, other.c, usual.c, first.c, fromThread.c};
  for (int i = 0; i < 6; ++i)
    pbc_seeds_destroy(all[i]);
  for (int i = 0; i < 1000; ++i) { /* contexts that are gone leave nothing behind */
    pbc_context *c = with(7);
    double a[N];
    draw(c, a);
    CHECK(same(a, one.first));
    pbc_seeds_destroy(c);
  }
  return 0;
}
