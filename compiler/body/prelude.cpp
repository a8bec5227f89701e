#include "compiler/body/prelude.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace pbc::body {
namespace {

constexpr const char *kUnary[] = {"sqrt",  "cbrt",  "exp",  "exp2", "expm1", "log",    "log2",
                                  "log10", "log1p", "sin",  "cos",  "tan",   "asin",   "acos",
                                  "atan",  "sinh",  "cosh", "tanh", "ceil",  "floor",  "round",
                                  "trunc", "rint",  "fabs", "erf",  "erfc",  "tgamma", "lgamma"};
constexpr const char *kBinary[] = {"pow", "atan2", "fmod", "fmin", "fmax", "hypot", "fdim", "copysign"};

/// The overload set that <cmath> gives each function: double, float, and integers as double.
std::string mathFunctions() {
  std::string text = "template <class T> concept pb_whole = __is_integral(T);\n"
                     "template <class T> concept pb_number = __is_arithmetic(T);\n";
  for (std::string f : kUnary)
    text += "extern \"C\" double " + f + "(double) noexcept; extern \"C\" float " + f +
            "f(float) noexcept;\n" + "inline float " + f + "(float x) { return " + f + "f(x); }\n" +
            "template <pb_whole T> double " + f + "(T x) { return " + f + "(static_cast<double>(x)); }\n";
  for (std::string f : kBinary)
    text += "extern \"C\" double " + f + "(double, double) noexcept; extern \"C\" float " + f +
            "f(float, float) noexcept;\n" + "inline float " + f + "(float x, float y) { return " + f +
            "f(x, y); }\n" + "template <pb_number X, pb_number Y> double " + f + "(X x, Y y) { return " + f +
            "(static_cast<double>(x), static_cast<double>(y)); }\n";
  return text;
}

constexpr const char *kByHand = R"(
extern "C" {
int abs(int) noexcept;
long labs(long) noexcept;
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

/// What the original's runtime header brought with it (language reference 1.1), in C.
constexpr const char *kSystemHeaders[] = {"assert.h", "cblas.h",    "ctype.h", "errno.h", "pthread.h",
                                          "stdint.h", "sys/time.h", "time.h",  "unistd.h"};

/// SSE stands beside the C++ library, not in C: few programs use either.
constexpr const char *kAllHeaders[] = {
    "algorithm", "array",   "deque", "emmintrin.h", "functional", "iostream", "limits",  "list",
    "map",       "numeric", "queue", "set",         "stack",      "string",   "utility", "vector"};

template <std::size_t N>
std::string includes(const char *const (&headers)[N]) {
  std::string text;
  for (const char *header : headers) // a machine may lack one, as cblas.h, that the program does not need
    text += fmt::format("#if __has_include(<{0}>)\n#include <{0}>\n#endif\n", header);
  return text;
}

} // namespace

std::string prelude(Library library) {
  std::string text = "#include \"pb/body.h\"\n#include \"pb/tunables.h\"\n";
  if (library == Library::None) {
    text += mathFunctions();
    for (std::string f : kUnary)
      text += "namespace std { using ::" + f + "; }\n";
    for (std::string f : kBinary)
      text += "namespace std { using ::" + f + "; }\n";
    text += kByHand;
  } else
    text += includes(kBaseHeaders);
  if (library >= Library::System)
    text += includes(kSystemHeaders);
  if (library >= Library::All)
    text += includes(kAllHeaders);
  return text + "using namespace petabricks;\n";
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

int pureFunctionArity(const std::string &name) {
  auto has = [&](const auto &list) {
    return std::any_of(std::begin(list), std::end(list), [&](const char *f) { return name == f; });
  };
  if (has(kUnary))
    return 1;
  return has(kBinary) ? 2 : 0;
}

} // namespace pbc::body
