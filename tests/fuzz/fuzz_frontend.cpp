// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs mutated programs through the front end, which must neither crash nor hang, whatever its input is.
//
//   fuzz_frontend [seconds = 60] [seed = 1]      until the time is over or 20,000 programs were tried
//
// A program is divided into lexemes; some are dropped, doubled, swapped, or replaced by lexemes of other
// programs or by unusual bytes. The same seed gives the same programs. The text of each program is kept while
// it is tried, so that after a crash, or if it takes longer than ten seconds, it is printed to standard
// error.
#include "compiler/syntax/parse.h"
#include "tests/fuzz/mutate.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <unistd.h>

namespace {

using namespace pbc;
using Clock = std::chrono::steady_clock;

const char *const programs[] = {
    R"(
#define MAX(a,b) ((a)>(b)?(a):(b))
#define N n+1
#ifdef N
transform Smooth
from IN[N], K[n] : float
to OUT[n]
{
  to(OUT.cell(i) o) from(IN.cell(i) l, IN.cell(i+1) r = 0) where i < n/2 and i > 2 { o = MAX(l, r) / '{'; }
  secondary OUT.cell(i) from() { return 0; } ;
}
#else
transform Other from A to B;
#endif
)",
    R"(
%{
#include <cmath>
static int helper() { return R"x(})x"[0]; } // }
%}
main transform Iterate
from A[n, m]
to X<0..k>[n, m]
through T[n-1.5, 2*(m^2)]
template <S(0, 3), U(-1, 1)>
param p
tunable block(32, 1, 512)
tunable array(4) float min(-1.0) max(1.0) initial(0.5) w
accuracy_metric Quality accuracy_bins 0, 2, -5.5 accuracy_variable rounds(1, 1, 50)
generator Make
{
  primary rule first priority(2) duplicate(v, 0, 3) recursive(n) fast
  to(X<k>.region(0, 0, n/2, m) x, T t) from(X<k-1> y, A.row(j) a) using(L[n], M) { { for (;;) {} } "}{"; /* { */ }
  X.cell(i, j, 0) from(A.column(i) a) { return -a.cell(j); }
}
)",
    R"(
memoized function Bump from A[n], S to B[n] { if (n < 2) { B.cell(0) = 1'000; } } or { Tail(B, A); }
#if defined(Q) && (1 << 3) > 2 || 0
#include "nothing.h"
#elif 1
transform F from A to B { B from(A a) { return a; } }
#endif
)"};

/// Every span that the front end gives must lie in its file.
bool spansHold(const source::SourceManager &sources, const source::Diagnostics &diagnostics) {
  for (const auto &d : diagnostics.all())
    if (d->span.file >= sources.fileCount() || d->span.begin > d->span.end ||
        d->span.end > sources.text(d->span.file).size())
      return false;
  return true;
}

} // namespace

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  fuzz::tellOnCrash();
  std::vector<std::vector<std::string>> pool;
  for (const char *program : programs)
    pool.push_back(fuzz::lexemesOf(program));

  const auto start = Clock::now();
  unsigned done = 0, accepted = 0;
  for (; done < 20000 && std::chrono::duration<double>(Clock::now() - start).count() < seconds; ++done) {
    fuzz::current = done < std::size(programs) ? std::string(programs[done]) : fuzz::mutate(pool, random);
    fuzz::limitTime(10);
    source::SourceManager sources;
    source::Diagnostics diagnostics(sources);
    auto file = sources.add("fuzz.pbcc", fuzz::current);
    auto text = syntax::preprocess(sources, file, diagnostics);
    syntax::Program program = syntax::parse(text, file, diagnostics);
    const bool prints = !syntax::print(program).empty() || program.transforms.empty();
    const std::string rendered = diagnostics.render();
    fuzz::limitTime(0);
    accepted += !diagnostics.hasErrors();
    if (!prints || !spansHold(sources, diagnostics) ||
        (done < std::size(programs) && diagnostics.hasErrors())) {
      std::fprintf(stderr, "fuzz_frontend: %s\n%s\n%s\n",
                   done < std::size(programs) ? "a valid program is refused"
                                              : "a message points outside of its file",
                   fuzz::current.c_str(), rendered.c_str());
      return 1;
    }
  }
  std::printf("%u programs, %u of them accepted\n", done, accepted);
  return 0;
}
