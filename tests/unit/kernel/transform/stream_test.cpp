// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stores past the caches: which ones are possible, however a program is written, and that they change no result.
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::Not;

namespace {

/// A rule of one output, in several spellings.
std::string mapOf(const std::string &rule) {
  return "transform Map from A[w, h] to B[w, h] {\n" + rule + "\n}\n";
}
const std::string kMaps[] = {
    mapOf("B.cell(x, y) from(A.cell(x, y) a) { return 2 * a + 1; }"),
    mapOf("to(B.cell(x, y) b) from(A.cell(x, y) a) { b = 2 * a + 1; }"),
    mapOf("to(B.cell(x, y) b) from(A.cell(x, y) a) { double t = a; t *= 2; b = t + 1; }"),
    mapOf("B.cell(x, y) from(A.region(x, y, x + 1, y + 1) a) { return 2 * a.cell(0, 0) + 1; }"),
    mapOf("B.cell(x, y) from(A.row(y) a) { return a.cell(x) * 2 + 1; }"),
};
const std::string kStencils[] = {
    mapOf("B.cell(x, y) from(A.cell(x, y) a, A.cell(x + 1, y) r = 0, A.cell(x, y + 1) d = 0) { return a + r "
          "+ d; }"),
    mapOf("B.cell(x, y) from(A.cell(x, y) a, A.cell(x, y - 1) u, A.cell(x, y + 1) d) { return a + u + d; } "
          "secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }"),
    "transform Box from A[w + 2, h + 2] to B[w, h] { B.cell(x, y) from(A.region(x, y, x + 3, y + 3) a) { "
    "double s = 0; for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += a.cell(i, j); return s; } }",
    "transform Cross from A[w + 2, h + 2] to B[w, h] { B.cell(x, y) from(A.cell(x + 1, y + 1) c, A.cell(x, y "
    "+ 1) l, "
    "A.cell(x + 2, y + 1) r, A.cell(x + 1, y) u, A.cell(x + 1, y + 2) d) { return c + 0.5 * (l + r + u + d); "
    "} }",
    "transform Taps from A[w, h + 6] to B[w, h] { B.cell(x, y) from(A.region(x, y, x + 1, y + 7) a) { double "
    "s = 0; "
    "for (int i = 0; i < 7; ++i) s += a.cell(0, i) * (i + 1); return s; } }",
};

TEST(Stream, IsTheDefaultOfAllSpellings) {
  for (const std::string &program : kMaps) {
    Lifted map(program);
    EXPECT_THAT(pbc::script::text(defaultSchedule(map.kernel()).report.script), HasSubstr("stream(B)"))
        << program;
  }
  for (const std::string &program : kStencils) {
    Lifted stencil(program);
    EXPECT_THAT(pbc::script::text(defaultSchedule(stencil.kernel()).report.script), HasSubstr("stream(B)"))
        << program;
  }
}

TEST(Stream, MarksTheVectorLoop) {
  Lifted map(kMaps[0]);
  EXPECT_EQ(scheduleAfter(map.kernel(), "vector(x); stream(B)"), R"(
band y parallel
  vector streaming if large:8
    band x parallel
)");
  EXPECT_EQ(
      scheduleAfter(
          map.kernel(),
          "vector(x; interleave = 2); stream(B; rows = 3, turns = side_by_side, when = always); jam(y; 2)"),
      R"(
jam:2
  band y parallel
    vector:2 streaming:3
      band x parallel
)");
  Lifted add(programs::kAdd);
  EXPECT_EQ(scheduleAfter(add.kernel(), "vector(i); stream(C)"),
            "\nvector streaming if large:1\n  band i parallel\n");
}

TEST(Stream, RefusesWhatIsNoPlainStoreOfWholeRows) {
  Lifted map(kMaps[0]);
  EXPECT_EQ(whyNot(map.kernel(), "vector(x); stream(A)"), "the kernel does not write `A`");
  EXPECT_EQ(whyNot(map.kernel(), "stream(B)"), "no vector loop writes `B`");
  EXPECT_EQ(whyNot(map.kernel(), "lanes(x); stream(B)"), "no vector loop writes `B`");
  EXPECT_EQ(whyNot(map.kernel(), "vector(x); stream(B); stream(B)"), "`B` is stored past the caches already");
  EXPECT_EQ(whyNot(map.kernel(), "order(x, y); vector(y); stream(B)"),
            "its loop over `y` does not run along the rows of `B`");
  EXPECT_EQ(whyNot(map.kernel(), "(xt, xi) = tile(x; 8); vector(xi; width = 8); stream(B)"),
            "its loop over `xi` is realised as vectors of 8 iterations");
  Lifted add(programs::kAdd);
  EXPECT_EQ(whyNot(add.kernel(), "vector(i); stream(C; rows = 2)"),
            "no loop is directly around its loop over `i`");
  Lifted sums("transform Sums from A[w, h, d] to B[w, h] { to(B.cell(x, y) b) from(A.region(x, y, 0, x + 1, "
              "y + 1, d) a) "
              "{ b = 0; for (int k = 0; k < d; ++k) b += a.cell(0, 0, k); } }");
  EXPECT_THAT(whyNot(sums.kernel(), "fission(y, x); vector(x); stream(B)"), Not("it applies"));
  Lifted rows(programs::kRows);
  EXPECT_EQ(whyNot(rows.kernel(0, 1), "vector(x); stream(B)"), "the kernel reads `B`, too");
}

TEST(Stream, TasksHaveWholeTurns) {
  Lifted map(kMaps[0]), add(programs::kAdd);
  const auto grainOf = [](const Scheduled &kernel, std::size_t dimension) {
    return defaultSchedule(kernel).kernel.schedule.taskDimensions.at(dimension).grain;
  };
  EXPECT_EQ(grainOf(map.kernel(), 0), 256);
  EXPECT_EQ(grainOf(map.kernel(), 1), 8);
  const Report report = defaultSchedule(add.kernel()).report;
  EXPECT_THAT(pbc::script::text(report.script), Not(HasSubstr("stream")));
  EXPECT_EQ(report.notes.back().why, "no loop is directly around its loop over `i`");
}

/// Stencils of few reads along rows are as slow as their bytes; others, maps and columns, are limited by the first cache.
TEST(Stream, RowsTakeTurnsAsTheirReadsAsk) {
  const auto turnsOf = [](const std::string &program) {
    Lifted lifted(program);
    return scheduleAfter(lifted.kernel(), "vector(x); stream(B)");
  };
  for (const std::string inputs : {"A.cell(x - 1, y) l, A.cell(x, y - 1) u, A.cell(x, y + 1) d",
                                   "A.region(x - 1, y - 1, x + 1, y + 2) a"})
    for (const std::string body : {"return L + U + D;", "double t = L + U; return t + D;",
                                   "double t = L; t += U; t += D; return t;"}) {
      std::string rule =
          fmt::format("B.cell(x, y) from({}) {{ {} }} secondary B.cell(x, y) from(A.cell(x, y) a) "
                      "{{ return a; }}",
                      inputs, body);
      const bool isRegion = inputs.find("region") != std::string::npos;
      for (const auto &[name, value] :
           {std::pair{"L", isRegion ? "a.cell(0, 1)" : "l"}, std::pair{"U", isRegion ? "a.cell(1, 0)" : "u"},
            std::pair{"D", isRegion ? "a.cell(1, 2)" : "d"}})
        for (std::size_t at = rule.find(name); at != std::string::npos; at = rule.find(name))
          rule.replace(at, 1, value);
      EXPECT_THAT(turnsOf(mapOf(rule)), HasSubstr("streaming if large:4 staggered")) << rule;
    }
  const std::string seven =
      mapOf("B.cell(x, y) from(A.cell(x, y) a, A.cell(x + 1, y) b = 0, A.cell(x + 2, y) c = 0, "
            "A.cell(x + 3, y) d = 0, A.cell(x + 4, y) e = 0, A.cell(x + 5, y) f = 0, "
            "A.cell(x + 6, y) g = 0) { return a + b + c + d + e + f + g; }");
  const std::string columns =
      "transform T from A[h, w] to B[w, h] { B.cell(x, y) from(A.cell(y, x) a, A.cell(y, x) b) "
      "{ return a + b; } }";
  for (const std::string &program : {seven, columns, kMaps[0], kMaps[2]})
    EXPECT_THAT(turnsOf(program), HasSubstr("streaming if large:8\n")) << program;
  Lifted box(kStencils[2]);
  EXPECT_THAT(scheduleAfter(box.kernel(), "unroll(j, i); vector(x); stream(B)"),
              HasSubstr("streaming if large:8\n"));
  Lifted map(kMaps[0]);
  EXPECT_THAT(scheduleAfter(map.kernel(), "vector(x); stream(B; rows = 4, turns = staggered)"),
              HasSubstr("streaming if large:4 staggered\n"));
  Lifted cross(kStencils[3]);
  EXPECT_THAT(scheduleAfter(cross.kernel(), "vector(x); stream(B; turns = side_by_side)"),
              HasSubstr("streaming if large:4\n"));
}

/// The rows that take turns are those of the loop that is directly around after all steps.
TEST(Stream, MayHaveOtherLoopsAround) {
  Lifted box(kStencils[2]);
  EXPECT_THAT(scheduleAfter(box.kernel(), "unroll(j, i); vector(x); stream(B); (yt, yi) = tile(y; 4)"),
              testing::StartsWith(R"(
band yt = y - (y) mod 4 parallel
  band yi = y parallel
    vector streaming if large:8
      band x parallel
)"));
}

/// Runs the kernels on rows of every alignment and many lengths, whole or in two parts: the same cells have the same bits, and no
/// other cell changes.
const char *kAlignments = R"(
constexpr int kCells = 400 * 40, kKernels = 4;
template <class T> void run(int away, int width, int height, int gap) {
  const long in[] = {1, width + 8 + gap}, out[] = {1, width + gap};
  const int extents[] = {width + 8, height + 8}, results[] = {width, height};
  static T a[kCells], b[kKernels][kCells];
  for (int k = 0; k < kCells; ++k) a[k] = T(k * 7 % 101), b[0][k] = b[1][k] = b[2][k] = b[3][k] = T(3);
  Frame f;
  f.v_w = width, f.v_h = height;
  void (*const kernels[])(const void *, const long *, const long *) = {kernel0, kernel1, kernel2, kernel3};
  for (int k = 0; k < kKernels; ++k) {
    f.m_A = pb::Region<T, 2>(a, in, extents);
    f.m_B = pb::Region<T, 2>(b[k] + away, out, results);
    const long cuts[] = {0, gap ? width / 3 : 0, width};
    for (int part = 0; part < 2; ++part) {
      const long low[] = {cuts[part], 0}, high[] = {cuts[part + 1], height};
      kernels[k](&f, low, high);
    }
  }
  for (int other = 1; other < kKernels; ++other)
    for (int k = 0; k < kCells; ++k) expect(double(b[other][k]), double(b[0][k]), "cell", width, k);
}
int main() {
  const int widths[] = {0, 1, 31, 32, 33, 64, 65, 130, 257, 300}, heights[] = {1, 7, 8, 9, 17}, gaps[] = {0, 1, 5};
  for (int away = 0; away < 9; ++away)
    for (int width : widths) for (int height : heights) for (int gap : gaps) run<Cell>(away, width, height, gap);
  printf("%d wrong\n", failures);
}
)";

TEST(Stream, KeepsResultsAtEveryAlignment) {
  for (const std::string type : {"double", "float", "int", "byte"}) {
    for (const std::string body :
         {"a.cell(0, 0) + 1", "a.cell(0, 0) + a.cell(1, 0) + a.cell(0, 1)", "a.cell(1, 1) / 2"}) {
      Lifted lifted(fmt::format("transform T from A[w + 8, h + 8] : {0} to B[w, h] : {0} {{ B.cell(x, y) "
                                "from(A.region(x, y, x + 2, y + 2) a) {{ return {1}; }} }}",
                                type, body));
      ASSERT_EQ(lifted.messages, "");
      const std::vector<Scheduled> kernels = {
          after(lifted.kernel(), "tasks(); vector(x)"),
          after(lifted.kernel(),
                "tasks(); vector(x); stream(B; rows = 8, turns = side_by_side, when = always)"),
          after(lifted.kernel(), "tasks(); vector(x); stream(B; rows = 3, turns = staggered, when = always)"),
          after(lifted.kernel(), "tasks(); vector(x); jam(y; 2); stream(B; rows = 1, when = always)")};
      EXPECT_THAT(lifted.text(kernels), HasSubstr("pb::storeBlock"));
      const std::string cell = type == "byte" ? "unsigned char" : type;
      EXPECT_EQ(compileAndRun(lifted, kernels, kAlignments, fmt::format("using Cell = {};\n", cell)),
                "0 wrong\n")
          << type << " " << body;
    }
  }
}

TEST(Stream, KeepsResults) {
  EXPECT_EQ(differences(programs::kStencil, {"vector(x); stream(B; when = always)",
                                             "vector(x); jam(y; 2); stream(B; rows = 4, when = always)"}),
            "");
  EXPECT_EQ(differences(programs::kAdd, {"vector(i); stream(C; when = always)"}), "");
}

} // namespace
