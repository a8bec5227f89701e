// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/kernel/run.h"
#include "tests/unit/sanitized.h"
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace pbc::kernel {
namespace {

const char *kPrelude = R"(
extern "C" int printf(const char *, ...);
extern "C" void pb_storage_retain(pb::Storage *) {}
extern "C" void pb_storage_release(pb::Storage *) {}
extern "C" pb::Storage *pb_storage_allocate(unsigned long, void **) { return nullptr; }

alignas(64) char scratch[1 << 22];
extern "C" void *pb_scratch(long bytes) {
  if (bytes > static_cast<long>(sizeof scratch)) __builtin_trap();
  return scratch;
}
// The caches are small, so that panels are cut at the sizes of tests.
extern "C" void *pb_cells_allocate(long bytes, unsigned long *) { return __builtin_malloc(bytes > 0 ? bytes : 1); }
extern "C" void pb_cells_release(void *cells, unsigned long) { __builtin_free(cells); }
extern "C" long pb_cache_bytes(int level) { return level == 1 ? 2048 : 8192; }

unsigned long seed = 1;
inline double random01() { return (seed = seed * 6364136223846793005ul + 1442695040888963407ul) >> 40; }

/// Elements with `step` between neighbours along x and a gap after each row.
template <class T, int D> struct Matrix {
  T *data;
  unsigned long count;
  long stride[D + 1];
  int extent[D + 1];
  template <class... I> explicit Matrix(int step, I... sizes) : extent{static_cast<int>(sizes)..., 0} {
    count = step;
    for (int d = 0; d < D; ++d) stride[d] = count, count *= (extent[d] > 0 ? extent[d] : 0) + 3;
    data = new T[count];
    for (unsigned long k = 0; k < count; ++k) data[k] = static_cast<T>(random01() / 1048576 - 8);
  }
  pb::Region<T, D> region() { return pb::Region<T, D>(data, stride, extent); }
  template <class... I> T &operator()(I... at) { return region().cell(at...); }
};
int failures = 0;
void expect(double got, double wanted, const char *what, long a, long b) {
  const double d = got - wanted, tolerance = 1e-9 * ((wanted < 0 ? -wanted : wanted) + 1);
  if (!(d <= tolerance && -d <= tolerance) && failures++ < 5) printf("%s at (%ld, %ld): %g, not %g\n", what, a, b, got, wanted);
}
)";

// The sanitizer looks at the compiler, not at the kernels, which the release build tests at -O3.
const char *const kOptimisation = kSanitized ? " -O0" : " -O3";

std::string outputOf(const std::string &command) {
  std::string text;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer;
  while (std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  const int status = pclose(pipe);
  return status == 0 ? text : text + "exit status " + std::to_string(status);
}

} // namespace

std::string compileAndRun(Lifted &lifted, const std::vector<Scheduled> &kernels, const std::string &mainText,
                          const std::string &before) {
  std::string folder = std::filesystem::temp_directory_path() / "pbc-kernel-XXXXXX";
  if (!mkdtemp(folder.data()))
    return "no temporary folder";
  std::ofstream(folder + "/k.cpp") << lifted.text(kernels, before) << kPrelude << mainText;
  const char *keep = std::getenv("PBC_KEEP");
  std::string text = outputOf(
      std::string("clang++-19 -std=c++20 -Wall -Wextra -Werror -Wno-pass-failed -ffp-contract=off -I") +
      PBC_SOURCE_DIR + kOptimisation + " -o " + folder + "/k " + folder + "/k.cpp");
  text = text.empty() ? outputOf(folder + "/k") : "compiler: " + text;
  if (keep)
    std::fprintf(stderr, "kept %s\n", folder.c_str());
  else
    std::filesystem::remove_all(folder);
  return text;
}

int packedMultiplyAdds(Lifted &lifted, const std::vector<Scheduled> &kernels) {
  std::string folder = std::filesystem::temp_directory_path() / "pbc-kernel-XXXXXX";
  if (!mkdtemp(folder.data()))
    return -1;
  std::ofstream(folder + "/k.cpp") << lifted.text(kernels)
                                   << "void (*use)(const void *, const long *, const long *) = kernel0;\n";
  std::istringstream assembly(outputOf(std::string("clang++-19 -std=c++20 -O3 -march=x86-64-v3 -S -I") +
                                       PBC_SOURCE_DIR + " -o - " + folder + "/k.cpp"));
  std::filesystem::remove_all(folder);
  int count = 0;
  for (std::string line; std::getline(assembly, line);)
    count += line.find("vfmadd") != std::string::npos && line.find("pd\t") != std::string::npos &&
             line.find("%ymm") != std::string::npos;
  return count;
}

} // namespace pbc::kernel
