/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: basics */
/* library: other */

/* Several contexts at once, with their own configurations; another library beside. */
#include "basics.h"
#include "other.h"
#define MESSAGE pbc_basics_message
#include "check.h"
#include <math.h>

static pbc_context *c;
static char said[4096];

static void say(void *user, const char *text) {
  CHECK(user == said);
  strncat(said, text, sizeof said - strlen(said) - 2);
  strcat(said, "\n");
}

static void write(const char *file, const char *text) {
  FILE *f = fopen(file, "w");
  CHECK(f);
  fputs(text, f);
  fclose(f);
}

static pbc_context *with(const char *configuration, int threads) {
  pbc_options options = {0};
  options.configuration = configuration;
  options.threads = threads;
  options.say = say;
  options.user = said;
  OK(pbc_basics_create(&options, &c));
  return c;
}

static double root(pbc_context *context, double of, double accuracy) {
  double y = 0;
  pbc_array X = pbc_array_1d(&of, PBC_F64, 1), Y = pbc_array_1d(&y, PBC_F64, 1);
  c = context;
  OK(pbc_basics_Root(context, &X, accuracy, &Y));
  return y;
}

int main(void) {
  write("three.cfg", "program = \"basics\"\nthreads = 3\n[\"Root<2>\"]\nrounds = 3\n[Product]\nchoice = \"Halves\"\n");
  write("nine.cfg", "[\"Root<2>\"]\nrounds = 9\n[Product]\nchoice = \"Cells\"\nsequential_cutoff = 0\n");
  pbc_context *plain = with("", 1), *three = with("three.cfg", 0), *nine = with("nine.cfg", 2);
  for (int round = 0; round < 3; ++round) {
    CHECK(fabs(root(plain, 2, 12) - 1.5) < 1e-9);
    CHECK(fabs(root(three, 2, 12) - 1.4142156862745099) < 1e-15);
    CHECK(fabs(root(nine, 2, 12) - sqrt(2)) < 1e-15);
    CHECK(fabs(root(nine, 2, 2) - 1.5) < 1e-9);
  }
  CHECK(strstr(pbc_basics_configuration(three), "choice = [ { use = \"Halves\" } ]"));
  CHECK(!strstr(pbc_basics_configuration(nine), "choice = [ { use = \"Halves\" } ]"));
  CHECK(strstr(pbc_basics_configuration(three), "rounds = 3"));
  pbc_basics_destroy(three);
  CHECK(fabs(root(nine, 2, 12) - sqrt(2)) < 1e-15);

  /* Both choices compute the same, by the same threads or others. */
  enum { n = 60 };
  static double a[n * n], ab[3][n * n];
  for (int i = 0; i < n * n; ++i)
    a[i] = i % 17;
  pbc_array A = pbc_array_2d(a, PBC_F64, n, n);
  three = with("three.cfg", 2);
  pbc_context *all[3] = {plain, three, nine};
  for (int k = 0; k < 3; ++k) {
    pbc_array AB = pbc_array_2d(ab[k], PBC_F64, n, n);
    c = all[k];
    OK(pbc_basics_Product(all[k], &A, &A, &AB));
    CHECK(!memcmp(ab[k], ab[0], sizeof ab[0]));
  }

  /* Configurations that cannot be used: the context is there to say so, and for nothing else. */
  pbc_options options = {0};
  pbc_array x = pbc_array_1d(a, PBC_F64, 3), y = pbc_array_1d(ab[0], PBC_F64, 3);
  write("foreign.cfg", "program = \"another\"\n");
  write("wrong.cfg", "[Smooth]\nspilt_size = 3\n");
  const char *const files[] = {"foreign.cfg", "wrong.cfg", "missing.cfg"};
  const char *const parts[] = {"another", "wrong.cfg:2", "missing.cfg: cannot read"};
  for (int k = 0; k < 3; ++k) {
    options.configuration = files[k];
    FAILS(PBC_ERROR_CONFIGURATION, parts[k], pbc_basics_create(&options, &c));
    FAILS(PBC_ERROR_CONFIGURATION, parts[k], pbc_basics_Smooth(c, &x, &y));
    pbc_basics_destroy(c);
  }

  /* A configuration of another version of the program is used as far as it fits, and the caller is told. */
  CHECK(!strcmp(said, ""));
  write("older.cfg", "program = \"basics\"\nhash = \"0123456789abcdef\"\n[\"Root<2>\"]\nrounds = 9\n[Gone]\nchoice = \"x\"\n");
  pbc_context *older = with("older.cfg", 1);
  CHECK(strstr(said, "older.cfg"));
  CHECK(fabs(root(older, 2, 12) - sqrt(2)) < 1e-15);

  /* What a rule reports goes to the caller, too, from any thread; without a function for it, it is dropped. */
  said[0] = '\0';
  a[0] = 5;
  c = older;
  OK(pbc_basics_Fail(older, &x, &y));
  CHECK(!strncmp(said, "warning: ", 9) && strstr(said, "the rule is worried"));
  options.configuration = "";
  pbc_context *silent = NULL;
  CHECK(pbc_basics_create(&options, &silent) == PBC_OK && pbc_basics_Fail(silent, &x, &y) == PBC_OK);
  pbc_basics_destroy(silent);

  /* The file beside the library, which this is, is taken where no other is named. */
  write("basics.cfg", "[\"Root<2>\"]\nrounds = 9\n");
  pbc_context *beside = with(NULL, 1), *without = with("", 1);
  CHECK(fabs(root(beside, 2, 12) - sqrt(2)) < 1e-15);
  CHECK(fabs(root(without, 2, 12) - 1.5) < 1e-9);
  pbc_basics_destroy(beside);
  pbc_basics_destroy(without);

  /* Another library, with functions of the same names. */
  pbc_context *other = NULL;
  CHECK(pbc_other_create(NULL, &other) == PBC_OK);
  CHECK(pbc_other_Smooth(other, &x, &y) == PBC_OK && ab[0][0] == 3 * a[0]);
  CHECK(pbc_other_Smooth(plain, &x, &y) == PBC_ERROR_CONTEXT);
  CHECK(strstr(pbc_other_message(plain), "another library"));
  CHECK(pbc_basics_Smooth(other, &x, &y) == PBC_ERROR_CONTEXT);
  pbc_other_destroy(plain); /* of another library: it stays */
  c = plain;
  OK(pbc_basics_Smooth(plain, &x, &y));
  pbc_other_destroy(other);

  pbc_basics_destroy(older);
  pbc_basics_destroy(plain);
  pbc_basics_destroy(nine);
  pbc_basics_destroy(three);
  return 0;
}
