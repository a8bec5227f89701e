// Mutated programs through the front end: it must neither crash nor hang, whatever comes in.
//
//   fuzz_frontend [seconds = 60] [seed = 1]      until the time is up or 20,000 programs are through
//
// A program is taken apart into lexemes; some are dropped, doubled, swapped, replaced by ones of other
// programs or by nasty bytes. The same seed gives the same programs. Before each, its text is kept, so that a
// crash or an input that takes longer than ten seconds can be told: it is printed to standard error.
#include "compiler/syntax/cxx_scan.h"
#include "compiler/syntax/parse.h"
#include <chrono>
#include <csignal>
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

const char *const nasty[] = {"{",
                             "}",
                             "%{",
                             "%}",
                             "(",
                             ")",
                             "\"",
                             "'",
                             "/*",
                             "*/",
                             "//",
                             "\\\n",
                             "\n#",
                             "#if 1\n",
                             "#endif\n",
                             "\xff",
                             "\xe2",
                             "$",
                             "<",
                             ">",
                             "..",
                             "=",
                             "==",
                             "transform",
                             "function X",
                             "or",
                             "to(",
                             "R\"(",
                             "99999999999999999999",
                             "-",
                             "^",
                             ",",
                             ";",
                             "\n#define A A B\n",
                             "\n#define B A A\n",
                             "\n#define F(x) x F(x) x\n",
                             "F(",
                             "A",
                             "B",
                             "\n#define\n",
                             "1e999",
                             "\t"};

std::string current;

extern "C" void tell(int signal) {
  static const char head[] = "\nfuzz_frontend: crash or hang on this program:\n";
  (void)!write(2, head, sizeof head - 1);
  (void)!write(2, current.data(), current.size());
  std::_Exit(128 + signal);
}

std::vector<std::string> lexemesOf(std::string_view text) {
  std::vector<std::string> all;
  for (auto l = syntax::scan(text, 0); l.kind != syntax::Lexeme::Kind::End; l = syntax::scan(text, l.end))
    all.emplace_back(l.text(text));
  return all;
}

std::string mutate(const std::vector<std::vector<std::string>> &pool, std::mt19937_64 &random) {
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<std::string> text = pool[below(pool.size())];
  for (std::size_t changes = 1 + below(6); changes-- > 0 && !text.empty();) {
    std::size_t at = below(text.size());
    auto place = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto &other = pool[below(pool.size())];
    switch (below(7)) {
    case 0:
      text.erase(place);
      break;
    case 1:
      text.insert(place, std::string(text[at]));
      break;
    case 2:
      std::swap(text[at], text[below(text.size())]);
      break;
    case 3:
      text[at] = other[below(other.size())];
      break;
    case 4:
      text.insert(place, nasty[below(std::size(nasty))]);
      break;
    case 5:
      text.resize(at); // the file breaks off
      break;
    case 6: {
      std::string many;
      for (std::size_t i = 0, n = 1 + below(text[at].size() < 100 ? 700 : 2); i < n; ++i)
        many += text[at];
      if (many.size() < 100000) // repeated repetition would only test memory
        text[at] = many;
    }
    }
  }
  std::string joined;
  for (const std::string &lexeme : text)
    joined += lexeme;
  return joined;
}

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
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGALRM, SIGILL, SIGBUS})
    std::signal(signal, tell);
  std::vector<std::vector<std::string>> pool;
  for (const char *program : programs)
    pool.push_back(lexemesOf(program));

  const auto start = Clock::now();
  unsigned done = 0, accepted = 0;
  for (; done < 20000 && std::chrono::duration<double>(Clock::now() - start).count() < seconds; ++done) {
    current = done < std::size(programs) ? std::string(programs[done]) : mutate(pool, random);
    alarm(10);
    source::SourceManager sources;
    source::Diagnostics diagnostics(sources);
    auto file = sources.add("fuzz.pbcc", current);
    auto text = syntax::preprocess(sources, file, diagnostics);
    syntax::Program program = syntax::parse(text, file, diagnostics);
    std::string printed = syntax::print(program), rendered = diagnostics.render();
    alarm(0);
    accepted += !diagnostics.hasErrors();
    if (!spansHold(sources, diagnostics) || (done < std::size(programs) && diagnostics.hasErrors())) {
      std::fprintf(stderr, "fuzz_frontend: %s\n%s\n%s\n",
                   done < std::size(programs) ? "a valid program is refused"
                                              : "a message points outside of its file",
                   current.c_str(), rendered.c_str());
      return 1;
    }
  }
  std::printf("%u programs, %u of them accepted\n", done, accepted);
  return 0;
}
