// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/prelude.h"
#include "compiler/body/abi_headers.h"
#include "compiler/body/math_functions.h"
#include "compiler/syntax/cxx_scan.h"
#include <algorithm>
#include <cctype>
#include <fmt/ranges.h>

namespace pbc::body {
namespace {

std::string joined(const std::vector<std::string> &parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "double x, int y".
std::string parameters(const MathFunction &f, Scalar real) {
  std::vector<std::string> list;
  for (std::size_t k = 0; k < static_cast<std::size_t>(f.arity()); ++k)
    list.push_back(fmt::format("{} x{}", cxxType(parameterType(f, k, real)), k));
  return joined(list);
}

std::string result(const MathFunction &f, const std::string &real) {
  return f.gives == 'r'   ? real
         : f.gives == 'i' ? "int"
         : f.gives == 'l' ? "long"
         : f.gives == 'L' ? "long long"
                          : "bool";
}

/// The overload set of each function in <cmath>: double, float, and integers as double.
std::string overloads(const MathFunction &f) {
  std::vector<std::string> classes, taken, passed, asDouble;
  for (std::size_t k = 0; k < static_cast<std::size_t>(f.arity()); ++k) {
    const std::string x = fmt::format("x{}", k);
    const bool isReal = f.takes[k] == 'r';
    if (isReal)
      classes.push_back(fmt::format(
          "{} X{}", std::count(f.takes, f.takes + f.arity(), 'r') == 1 ? "pb_whole" : "pb_number", k));
    taken.push_back((isReal ? fmt::format("X{}", k) : cxxType(parameterType(f, k, Scalar::F64))) + (" " + x));
    passed.push_back(x);
    asDouble.push_back(isReal ? "static_cast<double>(" + x + ")" : x);
  }
  const std::string ofDouble = calledName(f, Scalar::F64), ofFloat = calledName(f, Scalar::F32);
  std::string text;
  if (f.isPredicate())
    text += fmt::format("inline bool {}({}) {{ return {}({}); }}\n", f.name, parameters(f, Scalar::F64),
                        ofDouble, joined(passed));
  else
    text += fmt::format("extern \"C\" {} {}({}) noexcept; extern \"C\" {} {}({}) noexcept;\n",
                        result(f, "double"), ofDouble, parameters(f, Scalar::F64), result(f, "float"),
                        ofFloat, parameters(f, Scalar::F32));
  return text +
         fmt::format("inline {} {}({}) {{ return {}({}); }}\n", result(f, "float"), f.name,
                     parameters(f, Scalar::F32), ofFloat, joined(passed)) +
         fmt::format("template <{}> {} {}({}) {{ return {}({}); }}\n", joined(classes), result(f, "double"),
                     f.name, joined(taken), f.name, joined(asDouble));
}

std::string declarations() {
  std::string text = "template <class T> concept pb_whole = __is_integral(T);\n"
                     "template <class T> concept pb_number = __is_arithmetic(T);\n";
  for (const MathFunction &f : mathFunctions())
    text += overloads(f);
  text += "namespace std {\n";
  for (const MathFunction &f : mathFunctions())
    text += fmt::format("using ::{};\n", f.name);
  return text + "}\n";
}

constexpr const char *kByHand = R"(
extern "C" {
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
struct _IO_FILE;
extern _IO_FILE *stdin, *stdout, *stderr;
int printf(const char *, ...);
int fprintf(_IO_FILE *, const char *, ...);
int snprintf(char *, unsigned long, const char *, ...) noexcept;
int puts(const char *);
int fflush(_IO_FILE *);
void *memcpy(void *, const void *, unsigned long) noexcept;
void *memmove(void *, const void *, unsigned long) noexcept;
void *memset(void *, int, unsigned long) noexcept;
int memcmp(const void *, const void *, unsigned long) noexcept;
unsigned long strlen(const char *) noexcept;
void *malloc(unsigned long) noexcept;
void *calloc(unsigned long, unsigned long) noexcept;
void free(void *) noexcept;
[[noreturn]] void exit(int) noexcept;
[[noreturn]] void abort() noexcept;
int rand() noexcept;
void srand(unsigned) noexcept;
double drand48() noexcept;
}
using FILE = _IO_FILE;
using size_t = decltype(sizeof 0);
inline long abs(long x) { return labs(x); }
inline double abs(double x) { return fabs(x); }
inline float abs(float x) { return fabsf(x); }
namespace std {
using ::abs;
using ::size_t;
template <class T> constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> constexpr const T &clamp(const T &v, const T &low, const T &high) {
  return v < low ? low : high < v ? high : v;
}
template <class T> constexpr void swap(T &a, T &b) { T c = a; a = b; b = c; }
}
#define NULL 0
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define LONG_MAX __LONG_MAX__
#define LONG_MIN (-__LONG_MAX__ - 1L)
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#define M_SQRT2 1.41421356237309504880
#define INFINITY (__builtin_inff())
#define HUGE_VAL (__builtin_huge_val())
#define NAN (__builtin_nanf(""))
)";

constexpr const char *kBaseHeaders[] = {"math.h", "stdlib.h", "string.h", "stdio.h", "limits.h", "float.h"};

/// The headers that the original's runtime header included (language reference 1.1), in C.
constexpr const char *kSystemHeaders[] = {"assert.h", "cblas.h",    "ctype.h", "errno.h", "pthread.h",
                                          "stdint.h", "sys/time.h", "time.h",  "unistd.h"};

/// SSE is listed with the C++ library, not with C, because few programs use either.
constexpr const char *kAllHeaders[] = {
    "algorithm", "array",   "deque", "emmintrin.h", "functional", "iostream", "limits",  "list",
    "map",       "numeric", "queue", "set",         "stack",      "string",   "utility", "vector"};

template <std::size_t N>
std::string includes(const char *const (&headers)[N]) {
  std::string text;
  // A machine may lack a header that the program does not need, for example cblas.h.
  for (const char *header : headers)
    text += fmt::format("#if __has_include(<{0}>)\n#include <{0}>\n#endif\n", header);
  return text;
}

} // namespace

std::string prelude(Library library) {
  std::string text = "#include \"pb/body.h\"\n#include \"pb/tunables.h\"\n";
  if (library == Library::None) {
    text += declarations();
    text += kByHand;
  } else
    text += includes(kBaseHeaders);
  if (library >= Library::System)
    text += includes(kSystemHeaders);
  if (library >= Library::All)
    text += includes(kAllHeaders);
  return text + "using namespace petabricks;\n";
}

std::vector<std::pair<std::string, std::string>> headers(Library library) {
  std::vector<std::pair<std::string, std::string>> files = abiHeaders();
  files.emplace_back("pb/prelude.h", "#pragma once\n" + prelude(library));
  return files;
}

std::string headerLines() {
  std::string lines;
  for (const char *name :
       {"prelude", "index", "program", "plan", "loops", "register_tile", "through_tiles", "device", "memo"})
    lines += fmt::format("#include \"pb/{}.h\"\n", name);
  return lines;
}

std::uint32_t leadingDirectives(std::string_view text) {
  using Kind = syntax::Lexeme::Kind;
  std::uint32_t kept = 0;
  int open = 0; // conditionals
  for (std::uint32_t at = 0;;) {
    syntax::Lexeme l = syntax::scan(text, at);
    while (l.isBlank() && l.closed)
      l = syntax::scan(text, l.end);
    if (l.kind == Kind::End && open == 0)
      return static_cast<std::uint32_t>(text.size());
    if (!l.is(text, '#'))
      return kept;
    l = syntax::scan(text, l.end);
    while (l.kind == Kind::Space || l.kind == Kind::BlockComment)
      l = syntax::scan(text, l.end);
    const std::string_view name = l.text(text);
    if (name == "line" || name == "pragma") // both affect the text after them
      return kept;
    open += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
    while (l.kind != Kind::Newline && l.kind != Kind::End)
      l = syntax::scan(text, std::max(l.end, l.begin + 1));
    at = l.end;
    if (open < 0)
      return kept;
    if (open == 0)
      kept = at;
    if (l.kind == Kind::End)
      return kept;
  }
}

std::vector<std::uint32_t> leadingDirectives(const sema::Module &module) {
  std::vector<std::uint32_t> lengths(module.rawBlocks.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::string &text = module.rawBlocks[i]->text.text;
    lengths[i] = leadingDirectives(text);
    if (lengths[i] < text.size())
      break;
  }
  return lengths;
}

bool mayThrow(const sema::Module &module, Library library) {
  if (library == Library::All || !module.rawBlocks.empty())
    return true;
  for (const auto &t : module.transforms)
    for (const auto &r : t.rules)
      if (r.body && (r.body->text.text.find("throw") != std::string::npos ||
                     r.body->text.text.find("try") != std::string::npos))
        return true;
  return false;
}

Library leastLibrary(const sema::Module &module) {
  for (const syntax::RawBlock *raw : module.rawBlocks) {
    const std::string &text = raw->text.text;
    for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
      std::size_t word = at + 1;
      while (word < text.size() && (text[word] == ' ' || text[word] == '\t'))
        ++word;
      if (text.compare(word, 7, "include") == 0)
        return Library::Base;
    }
  }
  return Library::None;
}

std::string markers() {
  return "namespace pb_program {\n"
         "void pb_spawn_();\n"
         "void pb_sync_();\n"
         "void pb_verify_();\n"
         "#define spawn ::pb_program::pb_spawn_(),\n"
         "#define sync ::pb_program::pb_sync_()\n"
         "#define SPAWN(F, ...) ::pb_program::pb_spawn_(), F __VA_OPT__((__VA_ARGS__))\n"
         "#define SYNC() ::pb_program::pb_sync_()\n"
         "#define CALL(F, ...) F __VA_OPT__((__VA_ARGS__))\n";
}

} // namespace pbc::body
