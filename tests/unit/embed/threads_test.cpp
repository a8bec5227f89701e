// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of a library by many threads, under ThreadSanitizer as well: a library as the compiler would make it, written by
// hand. Scale: A[n] -> B[n], B = factor * A; a negative cell is refused by the rule.
#include "runtime/abi/library.h"
#include "runtime/abi/loops.h"
#include "runtime/embed/context.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace pb;
constexpr int kMax = AnyRegion::kMaxRank;

struct {
  ContextSlots<long, 1> factor, cutoff;
} slots;

void scaleCells(const Region<double, 1> &b, const Region<const double, 1> &a, long low, long high) {
  for (long i = low; i < high; ++i) {
    if (a.cell(i) < 0)
      pb_fail("a cell is negative");
    b.cell(i) = static_cast<double>(slots.factor[0]) * a.cell(i);
  }
}

struct Cells {
  Region<double, 1> b;
  Region<const double, 1> a;
};

void scaleHere(const AnyRegion *r, const long *, int) {
  const Region<const double, 1> a(r[0]);
  scaleCells(Region<double, 1>(r[1]), a, 0, a.width());
}

Job scale(Region<double, 1> b, Region<const double, 1> a) {
  const Cells cells{b, a};
  const auto part = [](const void *c, const long *low, const long *high) {
    const Cells &mine = *static_cast<const Cells *>(c);
    scaleCells(mine.b, mine.a, low[0], high[0]);
  };
  co_await forEachBox({1, {0}, {a.width()}}, {{64}}, part, &cells);
}
Job startScale(const AnyRegion *r, const long *, int) {
  return scale(Region<double, 1>(r[1]), Region<const double, 1>(r[0]));
}

bool solve(const int (*e)[kMax], long *sizes, int, Message *) { return sizes[0] = e[0][0], true; }
bool extents(const long *sizes, int (*e)[kMax], int, Message *) {
  e[0][0] = e[1][0] = static_cast<int>(sizes[0]);
  return true;
}

const MatrixInfo matrices[] = {{"A", Role::Input, ElementKind::F64, 1, "[n]"},
                               {"B", Role::Output, ElementKind::F64, 1, "[n]"}};
const char *const sizeNames[] = {"n"};
const Tunable tunables[] = {{"factor", "what cells are multiplied by", TunableKind::Integer, false, 2, 1, 100,
                             slots.factor.own, nullptr},
                            {"sequential_cutoff", "as in all transforms", TunableKind::Integer, true, 128, 0,
                             1 << 30, slots.cutoff.own, nullptr}};
const Transform transform = {.name = "Scale",
                             .matrixCount = 2,
                             .matrices = matrices,
                             .sizeCount = 1,
                             .sizeNames = sizeNames,
                             .paramCount = 0,
                             .paramNames = sizeNames,
                             .solveSizes = solve,
                             .extents = extents,
                             .start = startScale,
                             .siteCount = 0,
                             .sites = nullptr,
                             .tunableCount = 2,
                             .tunables = tunables,
                             .generator = nullptr,
                             .runHere = scaleHere,
                             .cutoff = slots.cutoff.own};
const Transform *const transforms[] = {&transform};
const Program program = {kAbiVersion, "hand", "abc", "by hand", 1, transforms, 0, nullptr, "native"};
const pbc_function functions[] = {{"Scale", "pbc_hand_Scale", "", 2, 0, 0, nullptr, nullptr, nullptr}};
const pbc_library about = {PBC_ABI_VERSION, 1,       "hand",  "hand",  "by hand", functions,
                           nullptr,         nullptr, nullptr, nullptr, nullptr,   nullptr};
const int first[] = {0};
const Library library = {
    &program, 1,    reinterpret_cast<char *>(&slots), reinterpret_cast<char *>(&slots + 1), &about, first,
    false,    false};

/// A context whose factor is this number; its workers are two.
class Context {
public:
  explicit Context(long factor) {
    const std::string file =
        testing::TempDir() + "embed_" + std::to_string(getpid()) + "_" + std::to_string(factor);
    std::ofstream(file) << "[Scale]\nfactor = " << factor << "\n";
    pbc_options options{};
    options.threads = 2;
    options.configuration = file.c_str();
    EXPECT_EQ(pb_library_create(&library, PBC_ABI_VERSION, &options, &context_), PBC_OK) << message();
    std::remove(file.c_str());
  }
  ~Context() { pb_library_destroy(&library, context_); }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  int scale(std::vector<double> &a, std::vector<double> &b) const {
    pbc_array in = pbc_array_1d(a.data(), PBC_F64, static_cast<int64_t>(a.size()));
    pbc_array out = pbc_array_1d(b.data(), PBC_F64, static_cast<int64_t>(b.size()));
    pbc_array *const arrays[] = {&in, &out};
    return pb_library_call(&library, context_, 0, arrays, nullptr, 0);
  }
  std::string message() const { return pb_library_message(&library, context_); }

private:
  pbc_context *context_ = nullptr;
};

/// Calls below and above the cut-off, calls that fail, and messages of the right thread.
void work(const Context &context, long factor, int number) {
  for (int round = 0; round < 30; ++round) {
    const std::size_t n = round % 2 ? 50 : 1000;
    std::vector<double> a(n, number), b(n);
    ASSERT_EQ(context.scale(a, b), PBC_OK);
    ASSERT_EQ(b, std::vector<double>(n, static_cast<double>(factor * number)));
    std::vector<double> shorter(n - 1 - static_cast<std::size_t>(number));
    ASSERT_EQ(context.scale(a, shorter), PBC_ERROR_SIZE);
    ASSERT_NE(context.message().find("B[n] is [" + std::to_string(shorter.size()) + "]"), std::string::npos);
    a[n / 2] = -1;
    ASSERT_EQ(context.scale(a, b), PBC_ERROR_RULE);
    ASSERT_EQ(context.message(), "a cell is negative");
  }
}

TEST(EmbedThreads, EightOnOneContext) {
  const Context context(3);
  std::vector<std::jthread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&, k] { work(context, 3, k + 1); });
}

TEST(EmbedThreads, EightOnContextsOfTheirOwn) {
  std::vector<std::jthread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([k] {
      const Context context(k + 1);
      work(context, k + 1, k + 1);
    });
}

TEST(EmbedThreads, AContextThatIsMadeChangesNoOther) {
  const Context three(3);
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { work(three, 3, 1); });
  threads.emplace_back([] {
    for (int k = 1; k < 20; ++k) {
      const Context other(k);
      std::vector<double> a{1}, b{0};
      ASSERT_EQ(other.scale(a, b), PBC_OK);
      ASSERT_EQ(b[0], k);
    }
  });
}

TEST(EmbedThreads, TheThreadsOfAContextAreItsOwn) {
  const Context context(2);
  EXPECT_EQ(pb_execution->owner, nullptr);
  std::vector<double> a(1000, 1), b(1000);
  EXPECT_EQ(context.scale(a, b), PBC_OK);
  EXPECT_EQ(pb_execution->owner, nullptr);
}

} // namespace
