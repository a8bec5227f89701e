// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/fuzz/mutate.h"
#include "compiler/syntax/cxx_scan.h"
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <sys/time.h>
#include <unistd.h>

namespace pbc::fuzz {

std::string current;

namespace {

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

extern "C" void tell(int signal) {
  static const char head[] = "\nfuzz: crash or hang on this program:\n";
  (void)!write(2, head, sizeof head - 1);
  (void)!write(2, current.data(), current.size());
  std::_Exit(128 + signal);
}

} // namespace

void tellOnCrash() {
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGPROF, SIGILL, SIGBUS})
    std::signal(signal, tell);
}

void limitTime(int seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

std::vector<std::string> lexemesOf(std::string_view text) {
  std::vector<std::string> all;
  for (auto l = syntax::scan(text, 0); l.kind != syntax::Lexeme::Kind::End; l = syntax::scan(text, l.end))
    all.emplace_back(l.text(text));
  return all;
}

std::string mutate(const std::vector<std::vector<std::string>> &pool, std::mt19937_64 &random,
                   unsigned most) {
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<std::string> text = pool[below(pool.size())];
  for (std::size_t changes = 1 + below(most); changes-- > 0 && !text.empty();) {
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

} // namespace pbc::fuzz
