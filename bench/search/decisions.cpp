// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long a decision takes with all that follows from it, in the space of SGEMM with 33 objects, and how long a bound takes, in that of
// a product of matrices on a processor. Bars: 50 us and 20 us (lower-bound-search.md, section 2.6).
//
//   build/release/bin/bench_search
#include "compiler/kernel/parse.h"
#include "compiler/search/bound/bound.h"
#include "tests/unit/search/examples.h"
#include <algorithm>
#include <bit>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>

namespace {

using namespace pbc;

const char *const kProduct = R"(kernel Product [n]
  buffer A double 2-d input
  buffer B double 2-d input
  buffer C double 2-d output
  S0[x, y]: C[x, y] = 0.0
    { S0[x, y] : 0 <= x < n and 0 <= y < n }
  S1[x, y; i]: C[x, y] += A[i, y] * B[x, i]
    { S1[x, y, i] : 0 <= x < n and 0 <= y < n and 0 <= i < n }
  schedule
    sequence
      S0
        band y0 = y
          band x0 = x
      S1
        band y
          band x
            band i
)";

/// Random decisions until nothing is open, or nothing is left. Calls `each` after every one.
long descend(search::State &state, std::mt19937_64 &random, const std::function<void()> &each) {
  std::vector<int> variables(state.domains().size());
  for (std::size_t v = 0; v < variables.size(); ++v)
    variables[v] = int(v);
  std::shuffle(variables.begin(), variables.end(), random);
  long decisions = 0;
  for (const int v : variables) {
    if (state.isDecided(v))
      continue;
    search::Domain rest = state.domain(v);
    for (auto skip = random() % std::uint64_t(std::popcount(rest)); skip > 0; --skip)
      rest &= rest - 1;
    ++decisions;
    if (!state.decide(v, unsigned(std::countr_zero(rest))))
      return decisions;
    each();
  }
  return decisions;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Of the processor: other programs on the machine do not count.
double secondsOf(const std::function<void()> &run) {
  const std::clock_t begin = std::clock();
  run();
  return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

void decisions() {
  const search::Space space(search::sgemm(1024, 16, 4));
  search::State state(space.problem());
  state.propagate();
  std::mt19937_64 random(1);
  std::vector<double> each;
  for (int round = 0; round < 21; ++round) {
    long count = 0;
    const double seconds = secondsOf([&] {
      for (int descent = 0; descent < 10; ++descent) {
        const auto before = state.mark();
        count += descend(state, random, [] {});
        state.undo(before);
      }
    });
    each.push_back(seconds / double(count));
  }
  std::printf("decision with propagation, %zu objects, %zu variables: %.1f us (bar 50)\n",
              space.structure().objects.size(), space.problem().variables().size(), median(each) * 1e6);
}

void bounds() {
  poly::Context context;
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  const auto kernels = kernel::parse(sources.add("product.kernel", kProduct), context, diagnostics);
  const search::NestSpaces made = search::nestSpaces(kernels.at(0), {.values = {{"n", 1024}}});
  const search::NestSpace &nest = made.spaces.back();
  search::Rates rates;
  rates.arithmetic[1] = {6e10, 1.2e11, 6e10, 4e9, 4e9, 1e-9, 1e-9, 1e10, 8};
  rates.levels = {
      {"registers", 2e3, 0}, {"L1", 5e4, 4e11}, {"L2", 2e6, 2e11}, {"L3", 3e8, 3e10}, {"global", 3e10, 2e10}};
  const search::Bounds bound(nest, *nest.work, rates);
  search::State state(nest.space->problem());
  state.propagate();
  std::mt19937_64 random(1);
  std::vector<double> each;
  for (int descent = 0; descent < 200; ++descent) {
    const auto before = state.mark();
    double seconds = 0;
    long count = 0;
    descend(state, random, [&] {
      seconds += secondsOf([&] {
        for (int repeat = 0; repeat < 100; ++repeat)
          bound.of(state);
      });
      count += 100;
    });
    state.undo(before);
    if (count > 0)
      each.push_back(seconds / double(count));
  }
  std::printf("bound, %zu objects: %.1f us (bar 20)\n", nest.space->structure().objects.size(),
              median(each) * 1e6);
}

} // namespace

int main() {
  decisions();
  bounds();
}
