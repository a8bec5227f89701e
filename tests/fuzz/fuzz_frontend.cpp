// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs mutated programs through the front end, which must neither crash nor hang, whatever its input is.
//
//   fuzz_frontend [seconds = 60] [seed = 1]      until the time is over or 20,000 programs were tried
//
// A program is divided into lexemes; some are dropped, doubled, swapped, or replaced by lexemes of other
// programs or by unusual bytes.
#include "compiler/syntax/parse.h"
#include "tests/fuzz/campaign.h"

namespace {

using namespace pbc;

const std::vector<std::string> programs = {
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

fuzz::Verdict parse(const std::string &program) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  const auto file = sources.add("fuzz.pbcc", program);
  const auto text = syntax::preprocess(sources, file, diagnostics);
  const syntax::Program parsed = syntax::parse(text, file, diagnostics);
  if (syntax::print(parsed).empty() && !parsed.transforms.empty())
    return {false, "a program is printed as nothing"};
  (void)diagnostics.render();
  if (!spansHold(sources, diagnostics))
    return {false, "a message points outside of its file"};
  return {!diagnostics.hasErrors()};
}

} // namespace

int main(int argc, char **argv) {
  return fuzz::campaign({.name = "fuzz_frontend", .seeds = programs, .tryText = parse}, argc, argv);
}
